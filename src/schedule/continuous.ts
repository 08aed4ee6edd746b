import { type Duration, toMilliseconds } from "../base/duration.ts";
import { formatDuration } from "../base/format_duration.ts";
import type { Schedule } from "./schedule.ts";

/** How {@linkcode continuous} waits between two runs. */
export interface ContinuousOptions {
  /** The wait from the end of a run to the start of the next. Default: 1 second. */
  pause?: Duration;
  /**
   * Adds a random part of so many pauses: 0.5 makes each wait between 1 and 1.5 pauses long. Default:
   * 0, no jitter.
   */
  jitter?: number;
}

/**
 * Run, then wait, then run: a loop. The first run is due at once. When a run fails, the next one
 * waits for the backoff of the task's `restart` option instead.
 *
 * @param options The pause.
 * @returns The schedule.
 * @throws {RangeError} When an option is out of range.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { continuous } from "@leash/leash";
 *
 * const schedule = continuous({ pause: { seconds: 10 } });
 * assertEquals(schedule.first(0), 0);
 * assertEquals(schedule.next(2_500), 12_500);
 * ```
 */
export function continuous(options: ContinuousOptions = {}): Schedule {
  const pause = toMilliseconds(options.pause ?? 1_000, "the pause of continuous()");
  const { jitter = 0 } = options;
  if (!(jitter >= 0 && jitter < Infinity)) {
    throw new RangeError(
      `Cannot use ${jitter} as the jitter of continuous(): expected a finite number of at least 0`,
    );
  }
  return {
    kind: "continuous",
    description: `continuous, pause ${formatDuration(pause)}`,
    base: "monotonic",
    sliding: true,
    jitter,
    first: (start) => start,
    next: (end) => end + pause,
    // Counted from the end of a run: nothing can be missed.
    count: () => 0,
  };
}
