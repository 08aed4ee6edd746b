import type { Clock } from "../base/clock.ts";
import { report } from "../base/report.ts";
import { TimerQueue } from "../base/timer_queue.ts";
import type { RunSettlement } from "../pool/run.ts";
import type { RunPool } from "../pool/run_pool.ts";
import type { ControllerConfig } from "./_controller_config.ts";
import { HotLoops } from "./_hot_loops.ts";
import { type Wish, wishOf } from "./_wish.ts";
import type { ControllerEventBody, ReconcileRun } from "./controller_events.ts";
import type { RunningKey } from "./controller_status.ts";
import type { WorkItem } from "./work_item.ts";
import type { WorkQueue } from "./work_queue.ts";

/** What runs need of their controller. */
export interface RunsHost {
  readonly config: ControllerConfig;
  readonly clock: Clock;
  readonly queue: WorkQueue;
  readonly pool: RunPool;
  readonly isFresh: ((key: string) => boolean) | undefined;
  emit(event: ControllerEventBody): void;
  staleRead(): void;
  begun(waited: number): void;
  ended(run: ReconcileRun): void;
}

interface Running {
  readonly key: string;
  readonly runId: string;
  readonly attempt: number;
  readonly since: number;
  readonly started: number;
  readonly cancel: AbortController;
  /** Whether something outside has added the key since its run before began: it did not only come by itself. */
  readonly wasCalled: boolean;
  wasAdded: boolean;
}

/** A key whose reads are stale is looked at again so much later, in milliseconds. */
const STALE_DELAY = 100;
/** More than this from one look to the next is not all staleness. */
const LONGEST_LOOK = 10 * STALE_DELAY;

/** A key that is put off because what it would read is stale. By monotonic time. */
interface Stale {
  readonly since: number;
  /** When that was last seen. */
  readonly looked: number;
  readonly isTold: boolean;
}

/** Takes keys from the queue, runs them in the pool, and does with them what their results say. */
export class ControllerRuns {
  /** Settles when all have ended, after the end of the queue. */
  readonly ended: Promise<unknown>;
  readonly #host: RunsHost;
  readonly #running = new Map<string, Running>();
  readonly #polls = new Map<string, number>();
  readonly #waiters = new Map<string, PromiseWithResolvers<ReconcileRun>[]>();
  /** Keys that something outside has added, and whose run has not begun. */
  readonly #called = new Set<string>();
  /** Keys that are put off. */
  readonly #stale = new Map<string, Stale>();
  readonly #hotLoops: HotLoops;
  readonly #slow: TimerQueue<Running>;
  #count = 0;

  constructor(host: RunsHost) {
    this.#host = host;
    this.#hotLoops = new HotLoops(host.config.hotLoop);
    this.#slow = new TimerQueue(host.clock, {
      due: ({ key, started }) => {
        const runningFor = host.clock.monotonic() - started;
        host.emit({ type: "reconcile-slow", key, runningFor });
      },
    });
    this.ended = Promise.all(Array.from({ length: host.config.concurrency }, () => this.#loop()));
  }

  /** The keys that are being reconciled, the oldest first. */
  get running(): RunningKey[] {
    const now = this.#host.clock.monotonic();
    return [...this.#running.values()].map(({ key, runId, since, started }) => {
      const runningFor = now - started;
      return { key, runId, since, runningFor, slow: runningFor >= this.#host.config.slowAfter };
    });
  }

  /** Since when the key is being reconciled, by the wall clock. */
  since(key: string): number | undefined {
    return this.#running.get(key)?.since;
  }

  /** Something outside has added the key. */
  added(key: string): void {
    this.#polls.delete(key);
    if (this.#host.config.hotLoop !== undefined) this.#called.add(key);
    const running = this.#running.get(key);
    if (running !== undefined) running.wasAdded = true;
  }

  /** The next run of the key that has not begun. */
  next(key: string): Promise<ReconcileRun> {
    const waiter = Promise.withResolvers<ReconcileRun>();
    waiter.promise.catch(() => {});
    const waiters = this.#waiters.get(key);
    if (waiters === undefined) this.#waiters.set(key, [waiter]);
    else waiters.push(waiter);
    return waiter.promise;
  }

  /** Aborts the run of the key, if there is one. */
  cancel(key: string, reason: unknown): boolean {
    const running = this.#running.get(key);
    running?.cancel.abort(reason);
    return running !== undefined;
  }

  /** No run begins any more: nobody needs to wait. */
  dispose(error: unknown): void {
    this.#slow[Symbol.dispose]();
    for (const waiters of this.#waiters.values()) {
      for (const { reject } of waiters) reject(error);
    }
    this.#waiters.clear();
    this.#polls.clear();
    this.#called.clear();
    this.#stale.clear();
  }

  async #loop(): Promise<void> {
    while (true) {
      let item: WorkItem<string>;
      try {
        item = await this.#host.queue.take();
      } catch {
        return;
      }
      using _item = item;
      if (this.#isFresh(item.key)) {
        this.#stale.delete(item.key);
        await this.#run(item);
      } else this.#putOff(item);
    }
  }

  #isFresh(key: string): boolean {
    try {
      return this.#host.isFresh?.(key) ?? true;
    } catch (error) {
      // Whoever cannot tell must not stop the key for ever.
      report(`${this.#host.config.name}: isFresh failed for ${key}`, error);
      return true;
    }
  }

  #putOff(item: WorkItem<string>): void {
    const { config, clock, emit, staleRead } = this.#host;
    const { key } = item;
    const now = clock.monotonic();
    const { since, looked, isTold } = this.#stale.get(key) ??
      { since: now, looked: now, isTold: false };
    // While nobody looked, as in a pause, nobody knows.
    const unseen = Math.max(0, now - looked - LONGEST_LOOK);
    const staleFor = now - since - unseen;
    const isLong = staleFor >= config.slowAfter;
    this.#stale.set(key, { since: since + unseen, looked: now, isTold: isTold || isLong });
    staleRead();
    item.putOff(STALE_DELAY);
    if (isLong && !isTold) emit({ type: "reconcile-stale", key, staleFor });
  }

  async #run(item: WorkItem<string>): Promise<void> {
    const { key, priority } = item;
    const { config, clock, pool, queue, emit } = this.#host;
    const running: Running = {
      key,
      runId: `${config.name}-${++this.#count}`,
      attempt: config.rateLimiter.failures(key) + 1,
      since: clock.now(),
      started: clock.monotonic(),
      cancel: new AbortController(),
      wasCalled: this.#called.delete(key),
      wasAdded: false,
    };
    const { runId, attempt } = running;
    const waiters = this.#waiters.get(key) ?? [];
    this.#waiters.delete(key);
    this.#running.set(key, running);
    this.#slow.set(running, running.started + config.slowAfter, "monotonic");
    this.#host.begun(item.waited);
    emit({ type: "reconcile-started", key, runId, attempt });
    const settlement = await pool.execute({
      input: key,
      runId,
      attempt,
      timeout: config.timeout,
      gracePeriod: config.gracePeriod,
      signal: running.cancel.signal,
      priority,
      onLog: (level, message, data) =>
        emit({ type: "reconcile-log", key, runId, level, message, data }),
    });
    this.#slow.delete(running);
    this.#running.delete(key);
    const wish = wishOf(key, settlement, (key) => this.#pollDelay(key), config.module);
    if (wish.again?.rateLimited) {
      queue.add(key, { rateLimited: true, priority });
    } else {
      if (wish.outcome !== "poll-backoff") this.#polls.delete(key);
      if (wish.outcome !== "aborted") queue.forget(key);
      if (wish.again !== undefined) {
        queue.add(key, { after: wish.again.after!, priority: wish.priority ?? priority });
      }
    }
    // Whoever hears of the end finds the key where it is to be.
    item.done();
    this.#end(running, settlement, wish, waiters);
  }

  #pollDelay(key: string): number {
    const times = (this.#polls.get(key) ?? 0) + 1;
    this.#polls.set(key, times);
    return this.#host.config.pollDelay(times);
  }

  #end(
    running: Running,
    settlement: RunSettlement,
    { outcome, error }: Wish,
    waiters: PromiseWithResolvers<ReconcileRun>[],
  ): void {
    const { clock, emit } = this.#host;
    const { key, runId, attempt, since, started, wasCalled, wasAdded } = running;
    const run: ReconcileRun = {
      key,
      runId,
      attempt,
      outcome,
      startedAt: since,
      duration: clock.monotonic() - started,
      ...(error === undefined ? {} : { error }),
      ...(settlement.kind === "aborted" ? { ending: settlement.ending } : {}),
    };
    this.#host.ended(run);
    emit({ type: "reconcile-ended", run });
    // Who asks for a run soon after shall have it; what comes by itself beside that counts, also when its
    // own change is told a moment after its end.
    const asks = outcome === "requeue-after" || outcome === "poll-backoff";
    if (outcome === "succeeded" || (asks && wasCalled)) {
      const loop = this.#hotLoops.ran(key, clock.monotonic(), wasAdded);
      if (loop !== undefined) emit({ type: "reconcile-hot-loop", key, ...loop });
    }
    for (const { resolve } of waiters) resolve(run);
  }
}
