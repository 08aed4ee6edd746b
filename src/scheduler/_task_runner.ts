import type { Clock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { ClosedError, type StuckWorker, StuckWorkerError } from "../base/errors.ts";
import type { TimerQueue } from "../base/timer_queue.ts";
import { TRANSPORTS } from "../pool/transport_kinds.ts";
import { RunPool, type WorkerSnapshot } from "../pool/run_pool.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { DueTime } from "./_due_time.ts";
import { checkInput } from "./_check_input.ts";
import { RestartIntensity } from "./_restart_intensity.ts";
import { ResultStream } from "./_result_stream.ts";
import type { TaskConfig } from "./_task_config.ts";
import { type AbortKind, type RunStart, TaskRun } from "./_task_run.ts";
import type { SchedulerEvent, TaskEventBody } from "./events.ts";
import { FAILURES, type RunResult } from "./run_result.ts";
import type { ActiveRunInfo, ScheduledTask, TaskState } from "./scheduled_task.ts";
import { StatsRecorder, type TaskStats } from "./task_stats.ts";

/** What a task needs of its scheduler. */
export interface TaskHost {
  readonly clock: Clock;
  readonly queue: TimerQueue<TaskRunner>;
  readonly killTimeout: number;
  emit(event: SchedulerEvent): void;
  /** The task is gone. */
  forget(task: TaskRunner): void;
}

/** One task: when it is due, what happens then, and how it ends. */
export class TaskRunner implements ScheduledTask {
  readonly #host: TaskHost;
  readonly #config: TaskConfig;
  readonly #pool: RunPool;
  readonly #recorder = new StatsRecorder();
  readonly #stream: ResultStream<RunResult>;
  readonly #intensity: RestartIntensity;
  readonly #active = new Set<TaskRun>();
  #pending: TaskRun | undefined;
  readonly #due: DueTime<TaskRunner>;
  #hold: "paused" | "given-up" | undefined;
  #closing: { readonly reason: unknown } | undefined;
  #stopping: Promise<StuckWorker[]> | undefined;
  #stopped = false;
  #saidFinished = false;

  constructor(host: TaskHost, config: TaskConfig) {
    this.#host = host;
    this.#config = config;
    this.#intensity = new RestartIntensity(config.maxRestarts, config.restartWindow);
    this.#stream = new ResultStream(() => this.#emit({ type: "results-dropped", count: 1 }));
    this.#pool = new RunPool({
      module: config.module,
      task: config.name,
      transport: TRANSPORTS[config.isolation],
      permissions: config.permissions,
      memoryLimit: config.memoryLimit,
      denoFlags: config.denoFlags,
      minWorkers: 0,
      maxWorkers: config.maxConcurrent,
      concurrency: 1,
      maxWorkerAge: Infinity,
      maxWorkerHeap: Infinity,
      needsDefault: true,
      beatInterval: 0,
      idleTimeout: config.idleTimeout,
      maxRunsPerWorker: config.maxRunsPerWorker,
      readyTimeout: config.readyTimeout,
      killTimeout: host.killTimeout,
      clock: host.clock,
      onEvent: host.emit,
    });
    const { clock, queue } = host;
    const { schedule, jitter } = config;
    this.#due = new DueTime({ schedule, jitter, clock, queue, item: this });
    this.#emit({ type: "task-added" });
    if (config.paused) this.pause();
    else this.#due.begin();
    this.#sayIfFinished();
  }

  get name(): string {
    return this.#config.name;
  }

  get module(): string {
    return this.#config.module;
  }

  get schedule(): Schedule {
    return this.#config.schedule;
  }

  get state(): TaskState {
    if (this.#stopped) return "stopped";
    if (this.#closing) return "stopping";
    if (this.#active.size > 0) return "running";
    return this.#hold ?? (this.#due.wall === undefined ? "finished" : "waiting");
  }

  get nextDue(): number | undefined {
    return this.#due.wall;
  }

  get stats(): TaskStats {
    return this.#recorder.snapshot();
  }

  get active(): readonly ActiveRunInfo[] {
    return [...this.#active].map(({ runId, startedAt, progress }) => ({
      runId,
      startedAt,
      progress,
    }));
  }

  get workers(): readonly WorkerSnapshot[] {
    return this.#pool.workers;
  }

  /** Whether a run has not ended. */
  get busy(): boolean {
    return this.#active.size > 0;
  }

  // deno-lint-ignore require-await -- what is wrong with the call is a rejection, not an exception
  async trigger(input?: unknown): Promise<RunResult> {
    if (this.#closing) {
      throw new ClosedError(`trigger task "${this.name}"`, "it has been stopped", {
        cause: this.#closing.reason,
      });
    }
    if (input !== undefined) checkInput(input, this.name);
    return this.#begin({
      trigger: "manual",
      input: input ?? this.#config.input,
      dueAt: this.#host.clock.now(),
    }).result;
  }

  pause(): void {
    if (this.#hold === "paused" || this.#closing) return;
    this.#hold = "paused";
    this.#due.forget();
    this.#emit({ type: "task-paused" });
  }

  resume(): void {
    if (this.#hold === undefined || this.#closing) return;
    this.#hold = undefined;
    this.#intensity.reset();
    this.#emit({ type: "task-resumed" });
    if (this.#pending !== undefined) this.#beginPending();
    if (!this.#config.schedule.sliding) this.#due.resume();
    else if (!this.busy) this.#due.delay(0);
    this.#sayIfFinished();
  }

  async cancel(
    reason: unknown = new DOMException(`Task "${this.name}" was cancelled`, "AbortError"),
  ): Promise<void> {
    const runs = [...this.#active];
    this.#dropPending("cancelled", reason);
    for (const run of runs) run.abort("cancelled", reason);
    await Promise.all(runs.map((run) => run.result));
  }

  async remove(options: { gracePeriod?: Duration } = {}): Promise<void> {
    const grace = options.gracePeriod === undefined
      ? this.#config.gracePeriod
      : toMilliseconds(options.gracePeriod, "gracePeriod");
    const reason = new DOMException(`Task "${this.name}" was removed`, "AbortError");
    const stuck = await this.stop(reason, grace);
    if (stuck.length > 0) throw new StuckWorkerError(stuck);
  }

  runs(): AsyncIterableIterator<RunResult> {
    return this.#stream.read();
  }

  /** Its due time has come. */
  due(due: number): void {
    const { schedule, input } = this.#config;
    const dueAt = this.#due.toWall(due);
    const missed = this.#due.use();
    if (missed > 0) {
      this.#recorder.missed += missed;
      this.#emit({ type: "runs-missed", count: missed });
    }
    if (!schedule.sliding) this.#due.resume();
    this.#begin({ trigger: "schedule", input, dueAt });
  }

  /** The wall clock was set `by` milliseconds forward or back. */
  clockJumped(by: number): void {
    this.#due.clockJumped(by);
  }

  /** Nothing new begins from now on. */
  halt(reason: unknown): void {
    if (this.#closing) return;
    this.#closing = { reason };
    this.#due.forget();
    this.#dropPending("aborted", reason);
  }

  /**
   * Ends everything of this task.
   *
   * @returns The workers that could not be ended. A second call can only shorten the grace period.
   */
  stop(reason: unknown, gracePeriod: number): Promise<StuckWorker[]> {
    this.halt(reason);
    if (this.#stopping === undefined) this.#stopping = this.#stopOnce(gracePeriod);
    else this.limitGrace(gracePeriod);
    return this.#stopping;
  }

  /** If it is being stopped, it has no longer than this from now. */
  limitGrace(gracePeriod: number): void {
    if (this.#stopping !== undefined) void this.#pool.close(this.#closing!.reason, gracePeriod);
  }

  async #stopOnce(gracePeriod: number): Promise<StuckWorker[]> {
    const { reason } = this.#closing!;
    const runs = [...this.#active];
    for (const run of runs) run.abort("aborted", reason);
    const stuck = await this.#pool.close(reason, gracePeriod);
    await Promise.all(runs.map((run) => run.result));
    this.#stopped = true;
    this.#stream.end();
    this.#host.forget(this);
    this.#emit({ type: "task-removed" });
    return stuck;
  }

  #begin(start: RunStart): TaskRun {
    const run = new TaskRun({
      config: this.#config,
      pool: this.#pool,
      clock: this.#host.clock,
      emit: (event) => this.#emit(event),
    }, start);
    void run.result.then((result) => this.#ended(run, result));
    const { overlap, maxConcurrent } = this.#config;
    if (this.#active.size < maxConcurrent && this.#pending === undefined) {
      this.#launch(run);
    } else if (overlap === "replace") {
      const reason = new DOMException("A newer run takes its place", "AbortError");
      this.#dropPending("replaced", reason);
      this.#pending = run;
      for (const older of this.#active) older.abort("replaced", reason);
    } else if (overlap === "queue" && this.#pending === undefined) {
      this.#pending = run;
    } else {
      run.skip();
    }
    return run;
  }

  #launch(run: TaskRun): void {
    this.#active.add(run);
    // A loop's next due time is counted from the end of the run, whoever began it.
    if (this.#config.schedule.sliding) this.#due.forget();
    run.begin();
  }

  #beginPending(): void {
    const run = this.#pending;
    if (run === undefined || this.#active.size >= this.#config.maxConcurrent) return;
    this.#pending = undefined;
    this.#launch(run);
  }

  #dropPending(kind: AbortKind, reason: unknown): void {
    this.#pending?.drop(kind, reason);
    this.#pending = undefined;
  }

  #ended(run: TaskRun, result: RunResult): void {
    this.#recorder.retries += Math.max(0, result.attempts - 1);
    this.#recorder.record(result);
    this.#emit({ type: "run-ended", result });
    this.#stream.push(result);
    if (!this.#active.delete(run) || this.#closing) return;
    if (this.#hold !== "paused") this.#beginPending();
    if (this.busy) return;
    if (this.#config.schedule.sliding) this.#awaitAfter(result);
    this.#sayIfFinished();
    if (this.#due.left > this.#config.idleTimeout) this.#pool.trim();
  }

  /** The loop of a continuous task: what comes after a run. */
  #awaitAfter(result: RunResult): void {
    const { restartDelay } = this.#config;
    if (FAILURES.has(result.outcome)) {
      if (this.#intensity.failed(this.#host.clock.monotonic())) {
        this.#hold = "given-up";
        const restarts = this.#intensity.streak - 1;
        this.#emit({ type: "task-given-up", restarts, error: result.error });
      } else if (this.#hold === undefined) {
        this.#due.delay(restartDelay(this.#intensity.streak));
      }
      return;
    }
    if (result.outcome === "succeeded") this.#intensity.succeeded();
    if (this.#hold === undefined) this.#due.resume();
  }

  #sayIfFinished(): void {
    if (this.state !== "finished" || this.#saidFinished) return;
    this.#saidFinished = true;
    this.#emit({ type: "task-finished" });
  }

  #emit(event: TaskEventBody): void {
    this.#host.emit(
      { at: this.#host.clock.now(), task: this.name, ...event } as SchedulerEvent,
    );
  }
}
