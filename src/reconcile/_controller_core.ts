import { createBackoff } from "../base/backoff.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { ClosedError } from "../base/errors.ts";
import { guardSink } from "../base/events.ts";
import { Owner, type StopRequest } from "../base/owner.ts";
import { RunPool } from "../pool/run_pool.ts";
import { type ControllerConfig, controllerConfig } from "./_controller_config.ts";
import { ControllerRuns } from "./_controller_runs.ts";
import { ControllerSources } from "./_controller_sources.ts";
import { ControllerStop } from "./_controller_stop.ts";
import { logControllerProblems } from "./_describe_controller_event.ts";
import { StatsCounter } from "./_stats_counter.ts";
import type { ControllerEvent, ControllerEventBody } from "./controller_events.ts";
import type { CloseControllerOptions, ControllerOptions } from "./controller_options.ts";
import { WorkQueue } from "./work_queue.ts";

/** The parts of a controller, put together: sources fill the queue, runs empty it, one owner ends all. */
export class ControllerCore {
  readonly config: ControllerConfig;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly queue: WorkQueue;
  readonly pool: RunPool;
  readonly runs: ControllerRuns;
  readonly sources: ControllerSources;
  readonly stats = new StatsCounter();
  readonly #emit: (event: ControllerEventBody) => void;
  readonly #stopping: ControllerStop;
  #isPaused: boolean;
  #drains: boolean;
  /** Why it stopped by itself. */
  #failure: Error | undefined;

  /** As that of the controller. */
  constructor(module: string | URL, options: ControllerOptions) {
    const config = this.config = controllerConfig(module, options);
    const clock = this.clock = options.clock ?? systemClock;
    this.#drains = options.drain ?? false;
    this.#isPaused = options.paused ?? false;
    const sink = guardSink(options.onEvent ?? logControllerProblems);
    this.#emit = (event) =>
      sink({ at: clock.now(), controller: config.name, ...event } as ControllerEvent);
    this.owner = new Owner(options.signal, (request) => this.#stop(request), "controller");
    const within = this.owner.live.within;
    const end = new AbortController();
    this.queue = within(() =>
      new WorkQueue({
        signal: end.signal,
        name: `the queue of ${config.name}`,
        rateLimiter: config.rateLimiter,
        minInterval: config.minInterval,
        clock,
      })
    );
    // Nothing is reconciled before everything that there is was seen.
    this.queue.pause();
    this.pool = within(() =>
      new RunPool({ ...config.pool, onEvent: (event) => sink(config.module.renameIn(event)) })
    );
    this.runs = within(() =>
      new ControllerRuns({
        config,
        clock,
        queue: this.queue,
        pool: this.pool,
        isFresh: options.isFresh,
        emit: this.#emit,
        staleRead: () => this.stats.staleReads++,
        begun: (waited) => this.stats.begun(waited),
        ended: (run) => this.stats.count(run),
      })
    );
    this.sources = within(() =>
      new ControllerSources({
        clock,
        syncTimeout: config.syncTimeout,
        resync: config.resync,
        retryDelay: createBackoff({ initial: 1_000, max: 30_000, jitter: "none" }),
        add: (key, options) => void this.add(key, options),
        emit: (event) => {
          if (event.type === "source-failed") this.stats.sourceFailures++;
          this.#emit(event);
        },
        synced: () => {
          this.#emit({ type: "controller-synced" });
          this.#resumeQueue();
        },
        late: (names) => this.#fail(names),
      })
    );
    this.#stopping = new ControllerStop({
      name: config.name,
      clock,
      signal: options.signal,
      sources: this.sources,
      queue: this.queue,
      runs: this.runs,
      pool: this.pool,
      end,
      emit: this.#emit,
    });
    if (!this.owner.signal.aborted) this.sources.start(options.sources ?? []);
  }

  /** Whether nothing is reconciled before `resume()`. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** As that of the controller. */
  add(key: string, options?: { priority?: number; after?: Duration }): boolean {
    // Its polls begin anew before it can be taken.
    const isAdded = this.queue.add(key, options);
    if (isAdded) this.runs.added(key);
    return isAdded;
  }

  /** As that of the controller. */
  pause(): void {
    if (this.#isPaused || this.owner.signal.aborted) return;
    this.#isPaused = true;
    this.queue.pause();
    this.#emit({ type: "controller-paused" });
  }

  /** As that of the controller. */
  resume(): void {
    if (!this.#isPaused || this.owner.signal.aborted) return;
    this.#isPaused = false;
    this.#emit({ type: "controller-resumed" });
    this.#resumeQueue();
  }

  /** As that of the controller. */
  close(options: CloseControllerOptions): Promise<void> {
    const { drain, reason = new DOMException("The controller was closed", "AbortError") } = options;
    const gracePeriod = options.gracePeriod === undefined
      ? undefined
      : toMilliseconds(options.gracePeriod, "gracePeriod");
    if (!this.owner.signal.aborted) this.#drains = drain ?? this.#drains;
    else if (this.#drains ? !drain : gracePeriod !== undefined) {
      const { reason } = this.owner.signal;
      this.#stopping.hurry(reason, gracePeriod ?? this.config.gracePeriod);
    } else if (gracePeriod !== undefined) {
      this.#stopping.shorten(this.owner.signal.reason, gracePeriod);
    }
    return this.owner.stop({ reason, gracePeriod });
  }

  /** The error of a call that came too late. */
  closed(what: string): ClosedError {
    return new ClosedError(`${what} in controller "${this.config.name}"`, "it has been stopped", {
      cause: this.owner.signal.reason,
    });
  }

  #resumeQueue(): void {
    if (!this.#isPaused && this.sources.isSynced) this.queue.resume();
  }

  #fail(sources: readonly string[]): void {
    this.#failure = new Error(
      `Cannot start controller "${this.config.name}": ${sources.join(", ")} did not sync within ` +
        `${this.config.syncTimeout} ms`,
    );
    void this.owner.stop({ reason: this.#failure });
  }

  async #stop({ reason, gracePeriod = this.config.gracePeriod }: StopRequest): Promise<void> {
    await this.#stopping.run({
      reason,
      gracePeriod,
      drain: this.#drains,
      closed: this.closed("wait for a run"),
    });
    if (this.#failure !== undefined) throw this.#failure;
  }
}
