import { type Clock, systemClock } from "../base/clock.ts";
import { backoffSteps, type BackoffStepsOptions } from "./backoff_steps.ts";
import { pause } from "./_pause.ts";
import type { NotYet } from "./poll.ts";

/** How {@linkcode pollBackoff} ends. */
export interface PollBackoffOptions {
  /** Ends it. */
  signal: AbortSignal;
  /** Where it reads the time and sets its timer. Default: `systemClock`. */
  clock?: Clock;
}

/**
 * Looks whether a condition holds, and waits longer after each look that it does not: at most `steps`
 * looks, the first one at once, and no wait after the last one. When `max` is reached, the looks are
 * used up as well.
 *
 * An abort ends the wait at once; if the signal has aborted already, there is no look. A look that is
 * under way is waited for, and counts if the condition then holds.
 *
 * @param condition Gives what is waited for, or `false`, `undefined` or `null` as long as it is not
 * there. What it throws ends the poll.
 * @param backoff The waits, and how many looks: `steps`.
 * @param options `signal` is required.
 * @returns What the condition gave. Rejects with the reason of the signal, with a `TimeoutError`
 * (a `DOMException`) after the last look, or with what the condition throws.
 * @throws {RangeError} When an option is out of range.
 *
 * @example
 * ```ts
 * import { pollBackoff } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const owner = new AbortController();
 * let looks = 0;
 * await pollBackoff(() => ++looks === 3, { initial: 1, steps: 5 }, { signal: owner.signal });
 * assertEquals(looks, 3);
 * ```
 */
export async function pollBackoff<T>(
  condition: (signal: AbortSignal) => T | NotYet | Promise<T | NotYet>,
  backoff: BackoffStepsOptions,
  options: PollBackoffOptions,
): Promise<Exclude<T, NotYet>> {
  const { signal, clock = systemClock } = options;
  const series = backoffSteps({ clock, ...backoff });
  let looks = 0;
  while (series.steps > 0) {
    signal.throwIfAborted();
    looks++;
    const result = await condition(signal);
    if (result !== false && result !== undefined && result !== null) {
      return result as Exclude<T, NotYet>;
    }
    if (series.steps === 1) break;
    const wait = series.next();
    if (series.steps === 0) break;
    if (!signal.aborted) await pause(clock, wait, signal);
  }
  signal.throwIfAborted();
  throw new DOMException(
    `Cannot wait for the condition: it did not hold in time: received ${looks} looks without it`,
    "TimeoutError",
  );
}
