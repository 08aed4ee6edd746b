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
  const slot = (after: number, start: number): number => {
    const due = start + (Math.floor((after - start) / step) + 1) * step;
    // Rounding must not give the same slot twice.
    return due > after ? due : due + step;
  };
  const origin = (start: number): number => align ? 0 : start;
  return {
    kind: "every",
    description: `every ${formatDuration(step)}${align ? " aligned" : ""}`,
    base: align ? "wall" : "monotonic",
    sliding: false,
    jitter: 0,
    first: (start) => immediate ? start : slot(start, origin(start)),
    next: (after, start = 0) => slot(after, origin(start)),
    count: (after, until, start = 0) =>
      Math.max(
        0,
        Math.round((slot(until, origin(start)) - slot(after, origin(start))) / step),
      ),
  };
}
