import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { onAbort } from "../base/on_abort.ts";
import { loop } from "./_loop.ts";

/** What a condition gives as long as it does not hold. */
export type NotYet = false | undefined | null | void;

/** How {@linkcode poll} repeats. */
export interface PollOptions {
  /** Ends it. */
  signal: AbortSignal;
  /** How long it may take altogether. `Infinity`: as long as it takes. Default: `Infinity`. */
  timeout?: Duration;
  /**
   * Whether the first look comes at once, also when the signal has aborted already; or after one
   * interval. Default: `true`.
   */
  immediate?: boolean;
  /** Where it reads the time and sets its timers. Default: `systemClock`. */
  clock?: Clock;
}

/**
 * Looks again and again whether a condition holds. The interval counts from the start of a look: after
 * one that took longer, the next one comes at once. Looks never overlap.
 *
 * An abort and the timeout end the wait at once. A look that is under way is waited for, and counts if
 * the condition then holds; it gets a signal of both.
 *
 * @param condition Gives what is waited for, or `false`, `undefined` or `null` as long as it is not
 * there. What it throws ends the poll.
 * @param interval How long from one look to the next.
 * @param options `signal` is required.
 * @returns What the condition gave. Rejects with the reason of the signal, with a `TimeoutError`
 * (a `DOMException`), or with what the condition throws.
 * @throws {RangeError} When a duration is out of range.
 *
 * @example
 * ```ts
 * import { poll } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const owner = new AbortController();
 * let looks = 0;
 * const answer = await poll(() => ++looks === 3 && 42, 1, { signal: owner.signal });
 * assertEquals(answer, 42);
 * ```
 */
export async function poll<T>(
  condition: (signal: AbortSignal) => T | NotYet | Promise<T | NotYet>,
  interval: Duration,
  options: PollOptions,
): Promise<Exclude<T, NotYet>> {
  const { clock = systemClock, immediate = true } = options;
  const period = toMilliseconds(interval, "interval");
  const timeout = toMilliseconds(options.timeout ?? Infinity, "timeout", { allowInfinity: true });
  const controller = new AbortController();
  const { signal } = controller;
  using _listening = onAbort(options.signal, (reason) => controller.abort(reason));
  using _timer = timeout === Infinity
    ? undefined
    : clock.setTimer(() => controller.abort(lateError(timeout)), timeout);

  let result: T | NotYet;
  const look = async (): Promise<boolean> => {
    result = await condition(signal);
    return result !== false && result !== undefined && result !== null;
  };
  await loop(look, { clock, signal, period: () => period, sliding: false, immediate });
  return result as Exclude<T, NotYet>;
}

function lateError(timeout: number): DOMException {
  return new DOMException(
    `Cannot wait for the condition: it did not hold in time: received a timeout of ${timeout} ms`,
    "TimeoutError",
  );
}
