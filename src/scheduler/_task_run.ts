import type { Clock } from "../base/clock.ts";
import { onAbort } from "../base/on_abort.ts";
import type { RunSettlement } from "../pool/run.ts";
import type { RunPool } from "../pool/run_pool.ts";
import type { TaskConfig } from "./_task_config.ts";
import type { TaskEventBody } from "./events.ts";
import { FAILURES, type RunOutcome, type RunResult } from "./run_result.ts";
import { LATE } from "./task_stats.ts";

/** Why somebody ended a run. */
export type AbortKind = "cancelled" | "replaced" | "aborted";

/** What a run is begun with. */
export interface RunStart {
  readonly trigger: "schedule" | "manual";
  readonly input: unknown;
  /** When it was due, in milliseconds since the epoch. */
  readonly dueAt: number;
}

/** What a run needs of its task. */
export interface RunHost {
  readonly config: TaskConfig;
  readonly pool: RunPool;
  readonly clock: Clock;
  emit(event: TaskEventBody): void;
}

let count = 0;

/** One run of a task, over all its attempts. */
export class TaskRun {
  readonly runId: string;
  /** Never rejects. */
  readonly result: Promise<RunResult>;
  /** What the task said last of how far it is. */
  progress: { readonly done: number; readonly total: number | undefined } | undefined;
  /** When the task first began, in milliseconds since the epoch. */
  startedAt: number | undefined;
  readonly #host: RunHost;
  readonly #start: RunStart;
  readonly #controller = new AbortController();
  readonly #result = Promise.withResolvers<RunResult>();
  #abortKind: AbortKind = "aborted";
  #attempts = 0;
  #began = 0;
  #worker: string | undefined;

  constructor(host: RunHost, start: RunStart) {
    this.#host = host;
    this.#start = start;
    this.runId = `${host.config.name}-${(++count).toString(36)}`;
    this.result = this.#result.promise;
  }

  /** Begins it. */
  begin(): void {
    void this.#attemptAll();
  }

  /** Ends it without having begun. */
  skip(): void {
    this.#finish({ outcome: "skipped" });
  }

  /** Tells it to stop. The first call counts. A run that has not begun ends at once. */
  abort(kind: AbortKind, reason: unknown): void {
    if (this.#controller.signal.aborted) return;
    this.#abortKind = kind;
    this.#controller.abort(reason);
  }

  /** Ends it as aborted, if it has not begun. */
  drop(kind: AbortKind, reason: unknown): void {
    this.#finish({ outcome: kind, reason, ending: "not-started" });
  }

  async #attemptAll(): Promise<void> {
    const { config, clock, emit } = this.#host;
    const { signal } = this.#controller;
    while (true) {
      const end = this.#judge(await this.#attempt());
      if (!FAILURES.has(end.outcome) || this.#attempts >= config.maxAttempts) {
        return this.#finish(end);
      }
      const retryIn = config.retryDelay(this.#attempts);
      emit({
        type: "attempt-failed",
        runId: this.runId,
        attempt: this.#attempts,
        outcome: end.outcome,
        error: end.error,
        retryIn,
      });
      await wait(clock, retryIn, signal);
      if (signal.aborted) {
        return this.#finish({ outcome: this.#abortKind, reason: signal.reason, error: end.error });
      }
    }
  }

  #attempt(): Promise<RunSettlement> {
    const { config, pool, clock, emit } = this.#host;
    const { runId } = this;
    const attempt = ++this.#attempts;
    return pool.execute({
      runId,
      attempt,
      input: this.#start.input,
      timeout: config.timeout,
      gracePeriod: config.gracePeriod,
      signal: this.#controller.signal,
      onStart: (worker) => {
        this.#worker = worker;
        emit({ type: "run-started", runId, attempt, worker });
        if (this.startedAt !== undefined) return;
        this.startedAt = clock.now();
        this.#began = clock.monotonic();
        const lateness = this.startedAt - this.#start.dueAt;
        if (lateness > LATE) emit({ type: "run-late", runId, lateness });
      },
      onProgress: (done, total) => {
        this.progress = { done, total };
        emit({ type: "run-progress", runId, done, total });
      },
      onLog: (level, message, data) => emit({ type: "run-log", runId, level, message, data }),
    });
  }

  #judge(settlement: RunSettlement): RunEnd {
    switch (settlement.kind) {
      case "completed":
        return { outcome: "succeeded", value: settlement.value };
      case "failed":
        return { outcome: "failed", error: settlement.error };
      case "crashed":
        return { outcome: "crashed", error: settlement.error };
      case "aborted": {
        const { cause, reason, ending } = settlement;
        if (ending === "not-started") this.#attempts--;
        if (cause === "timeout") return { outcome: "timed-out", error: reason, reason, ending };
        const outcome = cause === "signal" ? this.#abortKind : "aborted";
        return { outcome, reason, ending };
      }
    }
  }

  #finish(end: RunEnd): void {
    const { clock, config } = this.#host;
    const { trigger, dueAt } = this.#start;
    const begun = this.startedAt !== undefined;
    this.#result.resolve({
      runId: this.runId,
      task: config.name,
      ...end,
      trigger,
      attempts: this.#attempts,
      dueAt,
      startedAt: this.startedAt,
      endedAt: clock.now(),
      duration: begun ? clock.monotonic() - this.#began : 0,
      lateness: begun ? Math.max(0, this.startedAt! - dueAt) : 0,
      worker: this.#worker,
    });
  }
}

type RunEnd =
  & Pick<RunResult, "value" | "error" | "reason" | "ending">
  & { readonly outcome: RunOutcome };

async function wait(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.setTimer(resolve, delay);
  using _listening = onAbort(signal, () => resolve());
  await promise;
}
