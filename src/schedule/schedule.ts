import type { TimeBase } from "../base/timer_queue.ts";

/**
 * When a task is due. A schedule is a plain value without any state: it calculates, and the
 * scheduler does the waiting. Times are milliseconds on the clock that `base` names: since the epoch
 * for `"wall"`, since some fixed moment for `"monotonic"`.
 *
 * Use `every`, `cron`, `after`, `at` or `continuous` to make one, or write your own with the kind
 * `"custom"`.
 */
export interface Schedule {
  /** What made it. */
  readonly kind: "every" | "cron" | "after" | "at" | "continuous" | "custom";
  /** For people, as in `every 5m`. */
  readonly description: string;
  /** The clock that the times are on. */
  readonly base: TimeBase;
  /** The next due time is counted from the end of a run, so that runs cannot overlap. */
  readonly sliding: boolean;
  /** A random part of this many waits is added to each wait. */
  readonly jitter: number;
  /**
   * The first due time of a task that starts at `start`. It may lie in the past: the task is then due
   * at once.
   */
  first(start: number): number | undefined;
  /**
   * The first due time later than `after`; not before it, when `sliding`.
   *
   * @param after The moment, or the end of the last run when `sliding`.
   * @param start When the task was started (default 0). Intervals are counted from there.
   * @returns `undefined` when the task is never due again.
   */
  next(after: number, start?: number): number | undefined;
  /** How many due times lie in (`after`, `until`]. It may stop counting at 1,000. */
  count(after: number, until: number, start?: number): number;
}
