import { type Duration, toMilliseconds } from "../base/duration.ts";
import { webLocks } from "../base/web_locks.ts";
import type { WorkerSnapshot } from "../pool/run_pool.ts";
import { checkSource } from "./_check_source.ts";
import { ControllerCore } from "./_controller_core.ts";
import type { ReconcileRun } from "./controller_events.ts";
import type { CloseControllerOptions, ControllerOptions } from "./controller_options.ts";
import type { ControllerSource } from "./controller_source.ts";
import type { ControllerStats, KeyStatus, RunningKey } from "./controller_status.ts";
import type { ReconcileModule } from "./reconcile_module.ts";
import type { Source } from "./source.ts";

/** The priority of `trigger()`: before whatever a source adds. */
const TRIGGER_PRIORITY = 100;

/**
 * Keeps things as they should be, key by key: sources say which keys may need it, and a module in
 * workers looks at one key at a time and mends it. A key is never reconciled twice at once; one that
 * fails is tried again, each time later; one that hangs is ended with its worker, and the others go on.
 *
 * With `scheduler.own((signal) => new Controller(module, { signal }))` it stops with the tasks of a
 * scheduler.
 *
 * @example
 * ```ts
 * import { Controller, fromInterval } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const module = "data:text/javascript,export default (key, ctx) => ctx.log.info(`mended ${key}`)";
 * const owner = new AbortController();
 * await using controller = new Controller(module, {
 *   signal: owner.signal,
 *   name: "volumes",
 *   concurrency: 4,
 *   timeout: { seconds: 30 },
 *   sources: [fromInterval({ minutes: 1 }, () => ["a", "b"])],
 * });
 * const run = await controller.trigger("c");
 * assertEquals(run.outcome, "succeeded");
 * ```
 */
export class Controller<Module extends ReconcileModule = ReconcileModule>
  implements AsyncDisposable {
  /** What it is called. */
  readonly name: string;
  /**
   * Settles when it has stopped, and everything of it is gone. Rejects when it stopped because its
   * sources did not sync in time, and with a `StuckWorkerError` when workers live on.
   */
  readonly finished: Promise<void>;
  /** Resolves when all sources that it had at the start are synced; rejects when it stops before. */
  readonly synced: Promise<void>;
  readonly #core: ControllerCore;

  /**
   * Makes a controller, which begins at once.
   *
   * @param module The URL of the module whose default export reconciles a key.
   * @param options The owner, and what is to be different from the defaults.
   * @throws {TypeError | RangeError} When an option is wrong.
   * @throws {Deno.errors.NotCapable} When the workers are to be permitted what this process is not.
   */
  constructor(module: string | URL, options: ControllerOptions) {
    webLocks();
    const core = this.#core = new ControllerCore(module, options);
    this.name = core.config.name;
    this.finished = core.owner.finished;
    this.synced = core.sources.synced;
  }

  /** Its sources that have not ended. */
  get sources(): readonly ControllerSource[] {
    return this.#core.sources.all;
  }

  /** The keys that are being reconciled, the oldest first. */
  get running(): readonly RunningKey[] {
    return this.#core.runs.running;
  }

  /** How many keys wait for their turn, those that wait for their time left out. */
  get queued(): number {
    return this.#core.queue.size;
  }

  /** Its workers that live, stuck ones included. */
  get workers(): readonly WorkerSnapshot[] {
    return this.#core.pool.workers;
  }

  /** What has happened so far. */
  get stats(): ControllerStats {
    return this.#core.stats.snapshot(this.#core.queue.counters);
  }

  /** Whether nothing is reconciled before `resume()`. */
  get paused(): boolean {
    return this.#core.isPaused;
  }

  /** How a key is. */
  status(key: string): KeyStatus {
    const { queue, runs } = this.#core;
    const { queued, delayed } = queue.status(key);
    return {
      queued: queued !== undefined,
      runningSince: runs.since(key),
      failures: queue.failures(key),
      next: delayed?.due,
    };
  }

  /**
   * Adds a key, as a source does.
   *
   * @returns `false` when the controller has begun to stop.
   */
  add(key: string, options: { priority?: number; after?: Duration } = {}): boolean {
    return this.#core.add(key, options);
  }

  /**
   * Reconciles a key before others. If it is being reconciled, it is once more after that.
   *
   * @returns That run, when it has ended, however it ended. It waits while the controller is paused.
   * @throws {ClosedError} When the controller stops before the run begins.
   */
  // deno-lint-ignore require-await -- what is wrong is a rejection, not an exception
  async trigger(key: string): Promise<ReconcileRun> {
    if (!this.add(key, { priority: TRIGGER_PRIORITY })) throw this.#core.closed(`trigger ${key}`);
    return this.#core.runs.next(key);
  }

  /**
   * Puts off a key: it is not reconciled before then, whatever adds it. What was said last counts, and
   * a moment that has passed lifts it.
   *
   * @param key The key.
   * @param until A moment, or how long from now.
   * @returns `false` when the controller has begun to stop.
   */
  deferNext(key: string, until: Date | Temporal.Instant | Duration): boolean {
    const { clock, queue } = this.#core;
    const delay = until instanceof Date
      ? until.getTime() - clock.now()
      : until instanceof Temporal.Instant
      ? until.epochMilliseconds - clock.now()
      : toMilliseconds(until, "until");
    return queue.defer(key, Math.max(0, delay));
  }

  /**
   * Aborts the run of a key. It is not tried again by itself.
   *
   * @returns Whether there was one.
   */
  cancel(key: string, reason?: unknown): boolean {
    const why = reason ?? new DOMException(`The run of ${key} was cancelled`, "AbortError");
    return this.#core.runs.cancel(key, why);
  }

  /** Begins no further run before `resume()`. Sources go on, and the queue fills. */
  pause(): void {
    this.#core.pause();
  }

  /** Goes on after `pause()`, or begins if it was made with `paused`. */
  resume(): void {
    this.#core.resume();
  }

  /**
   * Adds a source, which begins at once.
   *
   * @returns The source, to be removed.
   * @throws {ClosedError} When the controller has begun to stop.
   */
  addSource(source: Source): ControllerSource {
    const { owner, sources } = this.#core;
    checkSource(source, `add a source to controller "${this.name}"`);
    if (owner.signal.aborted) throw this.#core.closed(`add source "${source.name}"`);
    return owner.live.within(() => sources.add(source));
  }

  /**
   * Stops the controller, as the abort of its signal does: first the sources, then what is queued is
   * dropped, or reconciled when `drain` is asked for, then runs are told to stop, then the workers end.
   * Calling it again joins the first call, and ends a drain unless it asks for one as well; it can
   * shorten the grace period.
   *
   * @param options How, how long, and why.
   * @returns Resolves when everything is gone.
   * @throws {StuckWorkerError} When workers live on.
   * @throws {Error} When a source does not end.
   * @throws {WorkLeftError} When a drain was not done in time; it says what was left.
   */
  close(options: CloseControllerOptions = {}): Promise<void> {
    return this.#core.close(options);
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
