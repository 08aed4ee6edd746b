import { type Duration, toMilliseconds } from "../base/duration.ts";
import { formatDuration } from "../base/format_duration.ts";
import type { Schedule } from "./schedule.ts";

/**
 * Due once, so long after the task is added.
 *
 * @param delay The wait; 0 is at once.
 * @returns The schedule.
 * @throws {RangeError} When the delay is negative or not finite.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { after } from "@leash/leash";
 *
 * const schedule = after({ seconds: 30 });
 * assertEquals(schedule.first(1_000), 31_000);
 * assertEquals(schedule.next(31_000, 1_000), undefined);
 * ```
 */
export function after(delay: Duration): Schedule {
  const wait = toMilliseconds(delay, "the delay of after()");
  const next = (moment: number, start = 0): number | undefined =>
    start + wait > moment ? start + wait : undefined;
  return {
    kind: "after",
    description: `once after ${formatDuration(wait)}`,
    base: "monotonic",
    sliding: false,
    jitter: 0,
    first: (start) => start + wait,
    next,
    count: (moment, until, start = 0) => {
      const due = next(moment, start);
      return due !== undefined && due <= until ? 1 : 0;
    },
  };
}
