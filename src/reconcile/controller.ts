import { createBackoff } from "../base/backoff.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { ClosedError } from "../base/errors.ts";
import { guardSink } from "../base/events.ts";
import { Owner, type StopRequest } from "../base/owner.ts";
import { webLocks } from "../base/web_locks.ts";
import { RunPool, type WorkerSnapshot } from "../pool/run_pool.ts";
import { type ControllerConfig, controllerConfig } from "./_controller_config.ts";
import { ControllerRuns } from "./_controller_runs.ts";
import { ControllerStop } from "./_controller_stop.ts";
import { ControllerSources } from "./_controller_sources.ts";
import { logControllerProblems } from "./_describe_controller_event.ts";
import { StatsCounter } from "./_stats_counter.ts";
import type { ControllerEvent, ControllerEventBody, ReconcileRun } from "./controller_events.ts";
import type { CloseControllerOptions, ControllerOptions } from "./controller_options.ts";
import type { ControllerSource } from "./controller_source.ts";
import type { ControllerStats, KeyStatus, RunningKey } from "./controller_status.ts";
import type { ReconcileModule } from "./reconcile_module.ts";
import type { Source } from "./source.ts";
import { WorkQueue } from "./work_queue.ts";

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
  readonly #config: ControllerConfig;
  readonly #clock: Clock;
  readonly #owner: Owner;
  readonly #queue: WorkQueue;
  readonly #pool: RunPool;
  readonly #runs: ControllerRuns;
  readonly #sources: ControllerSources;
  readonly #stats = new StatsCounter();
  readonly #emit: (event: ControllerEventBody) => void;
  readonly #stopping: ControllerStop;
  #isPaused: boolean;
  #drains: boolean;
  /** Why it stopped by itself. */
  #failure: Error | undefined;

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
    const config = this.#config = controllerConfig(module, options);
    const clock = this.#clock = options.clock ?? systemClock;
    this.name = config.name;
    this.#drains = options.drain ?? false;
    this.#isPaused = options.paused ?? false;
    const sink = guardSink(options.onEvent ?? logControllerProblems);
    this.#emit = (event) =>
      sink({ at: clock.now(), controller: config.name, ...event } as ControllerEvent);
    this.#owner = new Owner(options.signal, (request) => this.#stop(request), "controller");
    this.finished = this.#owner.finished;
    const within = this.#owner.live.within;
    const end = new AbortController();
    this.#queue = within(() =>
      new WorkQueue({
        signal: end.signal,
        name: `the queue of ${config.name}`,
        rateLimiter: config.rateLimiter,
        minInterval: config.minInterval,
        clock,
      })
    );
    // Nothing is reconciled before everything that there is was seen.
    this.#queue.pause();
    this.#pool = within(() =>
      new RunPool({ ...config.pool, onEvent: (event) => sink(config.module.renameIn(event)) })
    );
    this.#runs = within(() =>
      new ControllerRuns({
        config,
        clock,
        queue: this.#queue,
        pool: this.#pool,
        isFresh: options.isFresh,
        emit: this.#emit,
        staleRead: () => this.#stats.staleReads++,
        ended: (run) => this.#stats.count(run),
      })
    );
    this.#sources = within(() =>
      new ControllerSources({
        clock,
        syncTimeout: config.syncTimeout,
        resync: config.resync,
        retryDelay: createBackoff({ initial: 1_000, max: 30_000, jitter: "none" }),
        add: (key, options) => {
          // Its polls begin anew before it can be taken.
          if (this.#queue.add(key, options)) this.#runs.added(key);
        },
        emit: (event) => {
          if (event.type === "source-failed") this.#stats.sourceFailures++;
          this.#emit(event);
        },
        synced: () => {
          this.#emit({ type: "controller-synced" });
          this.#resumeQueue();
        },
        late: (names) => this.#fail(names),
      })
    );
    this.synced = this.#sources.synced;
    this.#stopping = new ControllerStop({
      name: this.name,
      clock,
      signal: options.signal,
      sources: this.#sources,
      queue: this.#queue,
      runs: this.#runs,
      pool: this.#pool,
      end,
      emit: this.#emit,
    });
    if (!this.#owner.signal.aborted) this.#sources.start(options.sources ?? []);
  }

  /** Its sources that have not ended. */
  get sources(): readonly ControllerSource[] {
    return this.#sources.all;
  }

  /** The keys that are being reconciled, the oldest first. */
  get running(): readonly RunningKey[] {
    return this.#runs.running;
  }

  /** How many keys wait for their turn, those that wait for their time left out. */
  get queued(): number {
    return this.#queue.size;
  }

  /** Its workers that live, stuck ones included. */
  get workers(): readonly WorkerSnapshot[] {
    return this.#pool.workers;
  }

  /** What has happened so far. */
  get stats(): ControllerStats {
    return this.#stats.snapshot();
  }

  /** Whether nothing is reconciled before `resume()`. */
  get paused(): boolean {
    return this.#isPaused;
  }

  /** How a key is. */
  status(key: string): KeyStatus {
    const { queued, delayed } = this.#queue.status(key);
    return {
      queued: queued !== undefined,
      runningSince: this.#runs.since(key),
      failures: this.#queue.failures(key),
      next: delayed?.due,
    };
  }

  /**
   * Adds a key, as a source does.
   *
   * @returns `false` when the controller has begun to stop.
   */
  add(key: string, options: { priority?: number; after?: Duration } = {}): boolean {
    const isAdded = this.#queue.add(key, options);
    if (isAdded) this.#runs.added(key);
    return isAdded;
  }

  /**
   * Reconciles a key before others. If it is being reconciled, it is once more after that.
   *
   * @returns That run, when it has ended, however it ended. It waits while the controller is paused.
   * @throws {ClosedError} When the controller stops before the run begins.
   */
  // deno-lint-ignore require-await -- what is wrong is a rejection, not an exception
  async trigger(key: string): Promise<ReconcileRun> {
    if (!this.add(key, { priority: TRIGGER_PRIORITY })) throw this.#closed(`trigger ${key}`);
    return this.#runs.next(key);
  }

  /**
   * Puts off a key: it is not reconciled before then, whatever adds it. A longer deferral stays.
   *
   * @param key The key.
   * @param until A moment, or how long from now.
   * @returns `false` when the controller has begun to stop.
   */
  deferNext(key: string, until: Date | Temporal.Instant | Duration): boolean {
    const delay = until instanceof Date
      ? until.getTime() - this.#clock.now()
      : until instanceof Temporal.Instant
      ? until.epochMilliseconds - this.#clock.now()
      : toMilliseconds(until, "until");
    return this.#queue.defer(key, Math.max(0, delay));
  }

  /**
   * Aborts the run of a key. It is not tried again by itself.
   *
   * @returns Whether there was one.
   */
  cancel(key: string, reason?: unknown): boolean {
    const why = reason ?? new DOMException(`The run of ${key} was cancelled`, "AbortError");
    return this.#runs.cancel(key, why);
  }

  /** Begins no further run before `resume()`. Sources go on, and the queue fills. */
  pause(): void {
    if (this.#isPaused || this.#owner.signal.aborted) return;
    this.#isPaused = true;
    this.#queue.pause();
    this.#emit({ type: "controller-paused" });
  }

  /** Goes on after `pause()`, or begins if it was made with `paused`. */
  resume(): void {
    if (!this.#isPaused || this.#owner.signal.aborted) return;
    this.#isPaused = false;
    this.#emit({ type: "controller-resumed" });
    this.#resumeQueue();
  }

  /**
   * Adds a source, which begins at once.
   *
   * @returns The source, to be removed.
   * @throws {ClosedError} When the controller has begun to stop.
   */
  addSource(source: Source): ControllerSource {
    if (this.#owner.signal.aborted) throw this.#closed(`add source "${source.name}"`);
    return this.#owner.live.within(() => this.#sources.add(source));
  }

  /**
   * Stops the controller, as the abort of its signal does: first the sources, then what is queued is
   * dropped, or reconciled when `drain` is asked for, then runs are told to stop, then the workers end.
   * Calling it again joins the first call, and ends a drain unless it asks for one as well.
   *
   * @param options How, how long, and why.
   * @returns Resolves when everything is gone.
   * @throws {StuckWorkerError} When workers live on.
   * @throws {Error} When a source does not end.
   * @throws {WorkLeftError} When a drain was not done in time; it says what was left.
   */
  close(options: CloseControllerOptions = {}): Promise<void> {
    const { drain, reason = new DOMException("The controller was closed", "AbortError") } = options;
    const gracePeriod = options.gracePeriod === undefined
      ? undefined
      : toMilliseconds(options.gracePeriod, "gracePeriod");
    if (!this.#owner.signal.aborted) this.#drains = drain ?? this.#drains;
    else if (!drain) {
      const { reason } = this.#owner.signal;
      this.#stopping.hurry(reason, gracePeriod ?? this.#config.gracePeriod);
    }
    return this.#owner.stop({ reason, gracePeriod });
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #resumeQueue(): void {
    if (!this.#isPaused && this.#sources.isSynced) this.#queue.resume();
  }

  #closed(what: string): ClosedError {
    return new ClosedError(`${what} in controller "${this.name}"`, "it has been stopped", {
      cause: this.#owner.signal.reason,
    });
  }

  #fail(sources: readonly string[]): void {
    this.#failure = new Error(
      `Cannot start controller "${this.name}": ${sources.join(", ")} did not sync within ` +
        `${this.#config.syncTimeout} ms`,
    );
    void this.#owner.stop({ reason: this.#failure });
  }

  async #stop({ reason, gracePeriod = this.#config.gracePeriod }: StopRequest): Promise<void> {
    await this.#stopping.run({
      reason,
      gracePeriod,
      drain: this.#drains,
      closed: this.#closed("wait for a run"),
    });
    if (this.#failure !== undefined) throw this.#failure;
  }
}
