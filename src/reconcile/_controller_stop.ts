import type { Clock } from "../base/clock.ts";
import { StuckWorkerError } from "../base/errors.ts";
import { onAbort } from "../base/on_abort.ts";
import type { RunPool } from "../pool/run_pool.ts";
import type { ControllerRuns } from "./_controller_runs.ts";
import type { ControllerSources } from "./_controller_sources.ts";
import type { ControllerEventBody } from "./controller_events.ts";
import type { WorkLeft, WorkLeftError } from "./work_left.ts";
import type { WorkQueue } from "./work_queue.ts";

/** What there is to stop. */
export interface ControllerParts {
  readonly name: string;
  readonly clock: Clock;
  /** The user's signal. */
  readonly signal: AbortSignal;
  readonly sources: ControllerSources;
  readonly queue: WorkQueue;
  readonly runs: ControllerRuns;
  readonly pool: RunPool;
  /** Of the signal that owns the queue. */
  readonly end: AbortController;
  emit(event: ControllerEventBody): void;
}

/** How to stop. */
export interface ControllerStopRequest {
  readonly reason: unknown;
  /** Milliseconds for a drain and for what runs, together. */
  readonly gracePeriod: number;
  readonly drain: boolean;
  /** What those get that wait for a run that will not begin. */
  readonly closed: Error;
}

/** A source gets at least so long to end, in milliseconds: it may be amid a call that takes a moment. */
const LEAST_GRACE = 1_000;

/** Stops a controller: first what gives it work, then the work, then the workers. */
export class ControllerStop {
  readonly #parts: ControllerParts;

  /** Monotonic time: the earliest of all that were asked for. */
  #deadline = Infinity;

  constructor(parts: ControllerParts) {
    this.#parts = parts;
  }

  /** A drain goes on, for no longer than this. */
  shorten(reason: unknown, gracePeriod: number): void {
    const { clock, queue, pool } = this.#parts;
    this.#deadline = Math.min(this.#deadline, clock.monotonic() + gracePeriod);
    if (queue.signal.aborted) void pool.close(reason, gracePeriod);
    else queue.stop("drain", { deadline: gracePeriod, reason }).catch(() => {});
  }

  /** Ends a drain, and lets what runs have no more time than this. */
  hurry(reason: unknown, gracePeriod: number): void {
    const { queue, pool } = this.#parts;
    queue.stop("finish", { deadline: Infinity, reason }).catch(() => {});
    void pool.close(reason, gracePeriod);
  }

  /**
   * Stops all parts; resolves when everything is gone.
   *
   * @throws {StuckWorkerError} When workers live on.
   * @throws {Error} When a source does not end.
   * @throws {WorkLeftError} When a drain was not done in time.
   */
  async run({ reason, gracePeriod, drain, closed }: ControllerStopRequest): Promise<void> {
    const { clock, signal, queue, pool, runs, end, emit } = this.#parts;
    this.#deadline = Math.min(this.#deadline, clock.monotonic() + gracePeriod);
    emit({ type: "controller-stopping", reason });
    const sources = this.#stopSources(reason, gracePeriod);
    let late: WorkLeftError | undefined;
    let left: WorkLeft<string> | undefined;
    const stopped = queue.stop(drain ? "drain" : "finish", {
      deadline: drain ? gracePeriod : Infinity,
      reason,
    }).then((all) => void (left = all), (error) => {
      late = error;
      left = error.left;
    });
    if (drain) {
      using _impatient = signal.aborted
        ? undefined
        : onAbort(signal, () => this.hurry(reason, gracePeriod));
      await stopped;
    }
    const stuck = await pool.close(reason, Math.max(0, this.#deadline - clock.monotonic()));
    const [endless] = await Promise.all([sources, stopped, runs.ended]);
    end.abort(reason);
    runs.dispose(closed);
    await queue.finished;
    emit({
      type: "controller-stopped",
      left: left?.queued ?? [],
      delayed: left?.delayed ?? [],
      stuck,
    });
    if (stuck.length > 0) throw new StuckWorkerError(stuck);
    if (endless.length > 0) throw this.#cannotStop(endless, gracePeriod);
    if (late !== undefined) throw late;
  }

  /** Ends the sources; resolves with the names of those that do not end. */
  async #stopSources(reason: unknown, gracePeriod: number): Promise<string[]> {
    const { clock, sources } = this.#parts;
    const late = Promise.withResolvers<void>();
    using _timer = clock.setTimer(late.resolve, Math.max(gracePeriod, LEAST_GRACE));
    await Promise.race([sources.stop(reason), late.promise]);
    return sources.all.map(({ name }) => name);
  }

  #cannotStop(sources: readonly string[], gracePeriod: number): Error {
    return new Error(
      `Cannot stop controller "${this.#parts.name}": ${sources.join(", ")} did not end within ` +
        `${Math.max(gracePeriod, LEAST_GRACE)} ms of the abort of its signal`,
    );
  }
}
