/**
 * Where Leash reads the time and sets its timers. Give another one to test schedules, backoff and
 * timeouts without waiting; see `FakeClock` in `@leash/leash/testing`.
 */
export interface Clock {
  /** The wall clock: milliseconds since the epoch. It can jump in both directions. */
  now(): number;
  /** Milliseconds since some fixed moment. It never goes back. */
  monotonic(): number;
  /**
   * Calls `callback` once, `delay` milliseconds from now or a little later. Any delay works, also
   * those that `setTimeout` cannot hold.
   *
   * @returns Dispose it to cancel the timer; disposing twice, or late, does nothing.
   */
  setTimer(callback: () => void, delay: number): Disposable;
}

/** `setTimeout` fires at once when its delay does not fit 31 bits. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** The computer's own clock: `Date.now`, `performance.now` and `setTimeout`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback: () => void, delay: number): Disposable {
    let remaining = delay;
    let id: ReturnType<typeof setTimeout>;
    const arm = (): void => {
      const step = Math.min(Math.max(remaining, 0), LONGEST_TIMEOUT);
      remaining -= step;
      id = setTimeout(remaining > 0 ? arm : callback, step);
    };
    arm();
    return { [Symbol.dispose]: () => clearTimeout(id) };
  },
};
