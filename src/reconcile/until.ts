import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { report } from "../base/report.ts";
import { checkJitter, jittered, loop } from "./_loop.ts";

/** How {@linkcode until} repeats. */
export interface UntilOptions {
  /** Ends it. */
  signal: AbortSignal;
  /**
   * A random part of so many periods is added to each: with 0.5, a period of 10 s is one of 10 to 15 s.
   * 0 and less: none. Default: 0.
   */
  jitter?: number;
  /**
   * Whether the period counts from the end of a call. Otherwise from its start: after a call that took
   * longer, the next one comes at once. Default: `true`.
   */
  sliding?: boolean;
  /** Whether the first call comes at once, or after one period. Default: `true`. */
  immediate?: boolean;
  /** Is told what a call throws, and the loop goes on. Default: the loop ends with it. */
  onError?: (error: unknown) => void;
  /** Where it reads the time and sets its timer. Default: `systemClock`. */
  clock?: Clock;
  /** A source of numbers in [0, 1), for the jitter. Default: `Math.random`. */
  random?: () => number;
}

/**
 * Calls a function again and again, until the signal aborts. Calls never overlap. If the signal has
 * aborted already, there is none.
 *
 * An abort ends the wait at once. A call that runs is waited for, so that nothing goes on behind the
 * back of whoever waits: give the signal, which it gets, to all that it does.
 *
 * @param fn What to do.
 * @param period How long from one call to the next. 0: as soon as everything else had its turn.
 * @param options `signal` is required.
 * @returns Rejects with the reason of the signal, or with what `fn` throws. It never resolves.
 * @throws {RangeError} When the period is out of range.
 *
 * @example
 * ```ts
 * import { until } from "@leash/leash/reconcile";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const owner = new AbortController();
 * let calls = 0;
 * const loop = until(() => {
 *   if (++calls === 3) owner.abort(new Error("enough"));
 * }, 1, { signal: owner.signal });
 * await assertRejects(() => loop, Error, "enough");
 * assertEquals(calls, 3);
 * ```
 */
export async function until(
  fn: (signal: AbortSignal) => unknown,
  period: Duration,
  options: UntilOptions,
): Promise<never> {
  const { signal, onError, jitter = 0, random = Math.random } = options;
  const base = toMilliseconds(period, "period");
  checkJitter(jitter, "repeat");
  signal.throwIfAborted();
  const step = async (): Promise<boolean> => {
    try {
      await fn(signal);
    } catch (error) {
      if (onError === undefined) throw error;
      // An error that follows from the abort is its end, and none of the function's.
      if (!(signal.aborted && error === signal.reason)) tell(onError, error);
    }
    return false;
  };
  await loop(step, {
    clock: options.clock ?? systemClock,
    signal,
    period: () => jittered(base, jitter, random),
    sliding: options.sliding ?? true,
    immediate: options.immediate ?? true,
  });
  throw new Error("unreachable: the loop ends only with a rejection");
}

function tell(onError: (error: unknown) => void, error: unknown): void {
  try {
    onError(error);
  } catch (thrown) {
    report("onError of until() threw", thrown);
  }
}
