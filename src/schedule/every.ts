import { type Duration, toMilliseconds } from "../base/duration.ts";
import { formatDuration } from "../base/format_duration.ts";
import type { Schedule } from "./schedule.ts";

/** How {@linkcode every} places its due times. */
export interface EveryOptions {
  /** Also due at once when the task is added. Default: first due after one interval. */
  immediate?: boolean;
  /**
   * `false` (default): counted from the moment that the task is added, on the monotonic clock, so
   * that setting the computer's clock changes nothing. `true`: at the multiples of the interval since
   * the epoch, so that `every({ hours: 1 }, { align: true })` is due at each full hour UTC.
   */
  align?: boolean;
}

/**
 * Due at fixed intervals. It keeps its grid: a late run does not move those after it.
 *
 * @param interval The time between two due times, at least 1 ms.
 * @param options Where the grid lies.
 * @returns The schedule.
 * @throws {RangeError} When the interval is shorter than 1 ms or not finite.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { every } from "@leash/leash";
 *
 * const schedule = every({ minutes: 5 });
 * assertEquals(schedule.next(60_000), 300_000);
 * ```
 */
export function every(interval: Duration, options: EveryOptions = {}): Schedule {
  const step = toMilliseconds(interval, "the interval of every()", { minimum: 1 });
  const { immediate = false, align = false } = options;
  const origin = (start: number): number => align ? 0 : start;
  /** The number of the last slot that is not later than the moment. */
  const slotAt = (moment: number, start: number): number => {
    const zero = origin(start);
    const slot = Math.floor((moment - zero) / step);
    // The division rounds: a hair before a slot, or on it, it may give the one beside.
    if (zero + slot * step > moment) return slot - 1;
    return zero + (slot + 1) * step <= moment ? slot + 1 : slot;
  };
  const next = (after: number, start = 0): number =>
    origin(start) + (slotAt(after, start) + 1) * step;
  return {
    kind: "every",
    description: `every ${formatDuration(step)}${align ? " aligned" : ""}`,
    base: align ? "wall" : "monotonic",
    sliding: false,
    jitter: 0,
    first: (start) => immediate ? start : next(start, start),
    next,
    count: (after, until, start = 0) => Math.max(0, slotAt(until, start) - slotAt(after, start)),
  };
}
