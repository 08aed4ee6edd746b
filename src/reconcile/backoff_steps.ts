import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { checkJitter, jittered } from "./_loop.ts";

/** A series of waits. */
export interface BackoffStepsOptions {
  /** The first wait. */
  initial: Duration;
  /** What each wait multiplies the next one by, at least 1. Default: 2. */
  factor?: number;
  /** No wait is longer than this, but for the jitter. Default: `Infinity`. */
  max?: Duration;
  /** How many waits may grow. 0 and less: all are the same. Default: `Infinity`. */
  steps?: number;
  /** A random part of so many waits is added to each. 0 and less: none. Default: 0. */
  jitter?: number;
  /** The series begins anew after it was not used for longer than this. Default: `Infinity`. */
  resetAfter?: Duration;
  /** Where it reads the time, for `resetAfter`. Default: `systemClock`. */
  clock?: Clock;
  /** A source of numbers in [0, 1), for the jitter. Default: `Math.random`. */
  random?: () => number;
}

/** Where a series of waits stands. */
export interface BackoffSteps {
  /** How many waits may still grow. 0 as soon as the longest one is reached. */
  readonly steps: number;
  /** The next wait, in milliseconds. */
  next(): number;
}

/**
 * A series of waits that grow: `initial`, then `factor` times as long each, until the steps are used up
 * or `max` is reached; from then on they stay the same.
 *
 * @param options The series.
 * @throws {RangeError} When an option is out of range.
 *
 * @example
 * ```ts
 * import { backoffSteps } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const series = backoffSteps({ initial: { seconds: 1 }, max: { seconds: 3 } });
 * assertEquals([1, 2, 3, 4].map(() => series.next()), [1_000, 2_000, 3_000, 3_000]);
 * ```
 */
export function backoffSteps(options: BackoffStepsOptions): BackoffSteps {
  const { factor = 2, jitter = 0, clock = systemClock, random = Math.random } = options;
  const unbounded = { allowInfinity: true };
  const initial = toMilliseconds(options.initial, "initial");
  const max = toMilliseconds(options.max ?? Infinity, "max", unbounded);
  const resetAfter = toMilliseconds(options.resetAfter ?? Infinity, "resetAfter", unbounded);
  const allSteps = Math.max(0, options.steps ?? Infinity);
  if (!(factor >= 1 && factor < Infinity)) {
    throw new RangeError(
      `Cannot make a series of waits: expected factor to be finite and at least 1: received ${factor}`,
    );
  }
  if (!(allSteps === Infinity || Number.isInteger(allSteps))) {
    throw new RangeError(
      `Cannot make a series of waits: expected a whole number as steps: received ${options.steps}`,
    );
  }
  checkJitter(jitter, "make a series of waits");
  let wait = Math.min(initial, max);
  let steps = allSteps;
  let last = clock.monotonic();
  return {
    get steps() {
      return steps;
    },
    next(): number {
      const now = clock.monotonic();
      if (now - last > resetAfter) {
        wait = Math.min(initial, max);
        steps = allSteps;
      }
      last = now;
      const current = wait;
      if (steps >= 1) {
        steps--;
        // Not Infinity, of which no random part can be taken.
        wait = Math.min(wait * factor, Number.MAX_VALUE);
        if (wait > max) [wait, steps] = [max, 0];
      }
      return jittered(current, jitter, random);
    },
  };
}
