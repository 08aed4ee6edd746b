import type { BackoffOptions } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Duration } from "../base/duration.ts";
import type { EventSink } from "../base/events.ts";
import type { StateEvent } from "./state_events.ts";

/** Keys and what belongs to them: a `Map` is one. */
export type StateEntries<Value> = Iterable<readonly [key: string, value: Value]>;

/** What an operation is handed. */
export interface StateContext {
  /** Aborted when the reconciler stops, or when the operation has taken its `timeout`. */
  readonly signal: AbortSignal;
  /**
   * Whether what is given as actual is known to be so. It is not after a restart, nor after an operation
   * that broke off.
   */
  readonly certain: boolean;
}

/** How to make a reconciler of states. */
export interface ReconcileStateOptions<Desired, Actual> {
  /** What it is called in events. Default: `"state"`. */
  name?: string;
  /** What there should be now, all of it. Called in every pass. When it throws, nothing is removed. */
  desired: (signal: AbortSignal) => StateEntries<Desired> | Promise<StateEntries<Desired>>;
  /**
   * Whether `desired` is known to be complete, so that what it lacks may be removed. Default: as soon as
   * it has been read once.
   */
  complete?: () => boolean | Promise<boolean>;
  /**
   * What there is already, found out at the start. It counts as uncertain: what is desired is applied
   * once more, and the rest removed. From then on what operations return is what there is; this is
   * called again only for a `refresh`.
   */
  actual: (signal: AbortSignal) => StateEntries<Actual> | Promise<StateEntries<Actual>>;
  /**
   * How often to call `actual` again, beside the passes: for a world that changes by itself, such as
   * processes that may die. Of a key on which an operation is under way meanwhile, its result counts.
   * Default: never, except for `refresh()`.
   */
  refresh?: Duration;
  /** Whether what there is is as desired. When it throws, that is a failed `apply` of the key. */
  matches: (desired: Desired, actual: Actual) => boolean;
  /**
   * Makes a key as desired, and returns how it is now. It may be called for what is so already. What it
   * throws means that nothing was changed; but an `UncertainError`, a timeout, an abort and the crash of
   * a worker mean that nobody knows.
   */
  apply: (
    key: string,
    desired: Desired,
    actual: Actual | undefined,
    ctx: StateContext,
  ) => Actual | Promise<Actual>;
  /**
   * Removes a key. `actual` is undefined when an `apply` broke off of which nothing is known. It throws
   * as `apply` does.
   */
  remove: (key: string, actual: Actual | undefined, ctx: StateContext) => void | Promise<void>;
  /**
   * So long must a key be absent from `desired` before it is removed: a program that restarts and comes
   * back must not lose what belongs to it. Default: 0.
   */
  absentFor?: Duration;
  /** How long to pause from the end of a pass to the next. Default: 100 milliseconds. */
  pause?: Duration;
  /**
   * How long one call of `desired`, `actual`, `apply` or `remove` may take before its signal is aborted.
   * What an operation was to change is uncertain then. A call that ignores its signal is waited for.
   * Default: 2 minutes 3 seconds.
   */
  timeout?: Duration;
  /** How many operations may be under way at once. Default: no limit. */
  concurrency?: number;
  /**
   * How long to wait after an operation that was not done. Default: 500 ms, then double each time, up to
   * 2 min 2 s, without jitter.
   */
  backoff?: BackoffOptions;
  /** Told of what happens. Default: problems go to stderr, a line each. */
  onEvent?: EventSink<StateEvent>;
  /** The time. Default: the computer's. */
  clock?: Clock;
}
