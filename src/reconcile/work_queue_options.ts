import type { Clock } from "../base/clock.ts";
import type { Duration } from "../base/duration.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/** How a {@linkcode WorkQueue} is made. */
export interface WorkQueueOptions<K> {
  /** Owns the queue: its abort is a `stop("now")` with its reason. */
  signal: AbortSignal;
  /** Stands in messages and snapshots. Default: `"work queue"`. */
  name?: string;
  /** Makes the string by which two keys are the same. Required for keys that are no strings. */
  keyOf?: (key: K) => string;
  /** How long keys wait that are added with `rateLimited`. Default: `exponentialLimiter()`. */
  rateLimiter?: RateLimiter;
  /**
   * The least time from one hand-out of a key to the next. Adds that come sooner wait for it, and
   * rate-limited ones wait for it and for their delay. Default: 0.
   */
  minInterval?: Duration;
  /**
   * How much waiting counts as one level of priority. A key of priority p that became ready at t comes
   * before every key of priority q that becomes ready after t + (q − p) · ageing. So it waits for
   * those that were ready before it, and for what comes in (highest q − p) · ageing after it, and for
   * nothing else. `Infinity`: the priority alone decides, and low ones may starve. Default: 1 second.
   */
  ageing?: Duration;
  /** How long `stop()` and `close()` wait if they are not told. Default: 30 seconds. */
  gracePeriod?: Duration;
  /** Where it reads the time and sets its timer. Default: `systemClock`. */
  clock?: Clock;
}

/** How a key is added. */
export interface AddOptions {
  /**
   * When it is ready, from now. Zero and less is now. A key that waits already keeps the earlier of
   * both times. Default: 0.
   */
  after?: Duration;
  /**
   * Whether the queue's rate limiter counts a failure and says how long it waits. With `after` as
   * well, the shorter of both counts. Default: `false`.
   */
  rateLimited?: boolean;
  /**
   * Higher comes first. A key that waits already keeps the higher of both. A finite number.
   * Default: 0.
   */
  priority?: number;
}

/** How a queue stops. */
export interface StopQueueOptions {
  /** How long to wait at most. `Infinity`: without end. Default: the queue's `gracePeriod`. */
  deadline?: Duration;
  /** What those get that wait in `take()`. Default: a `ClosedError`. */
  reason?: unknown;
}
