import type { Clock } from "../base/clock.ts";

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until it is told to go on. Give it wherever a `clock` is taken: schedules,
 * timeouts, grace periods and backoff then take no real time, also while the workers are real.
 *
 * @example
 * ```ts
 * import { FakeClock } from "@leash/leash/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * const calls: number[] = [];
 * clock.setTimer(() => calls.push(clock.monotonic()), 1_000);
 * clock.advance(999);
 * assertEquals(calls, []);
 * clock.advance(1);
 * assertEquals(calls, [1_000]);
 * ```
 */
export class FakeClock implements Clock {
  #now: number;
  #monotonic = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  /**
   * Makes a clock.
   *
   * @param now Where the wall clock stands: a date or milliseconds since the epoch. Default: 0.
   */
  constructor(now: number | string | Date = 0) {
    this.#now = toEpoch(now);
  }

  /** The wall clock. */
  now(): number {
    return this.#now;
  }

  /** Milliseconds since the clock was made, as far as it was told to go on. */
  monotonic(): number {
    return this.#monotonic;
  }

  /** How many timers are armed. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Sets a timer that fires when the clock gets there. */
  setTimer(callback: () => void, delay: number): Disposable {
    const timer: Timer = {
      due: this.#monotonic + Math.max(0, delay),
      order: this.#order++,
      callback,
    };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /**
   * Goes on, and fires each timer at its time, also those that other timers set meanwhile.
   *
   * @param milliseconds How far; at least 0.
   */
  advance(milliseconds: number): void {
    const end = this.#after(milliseconds);
    while (true) {
      const next = this.#next();
      if (next === undefined || next.due > end) break;
      this.#goTo(Math.max(next.due, this.#monotonic));
      this.#timers.delete(next);
      next.callback();
    }
    // A timer may have gone further than this already.
    this.#goTo(Math.max(end, this.#monotonic));
  }

  /**
   * Goes on without firing any timer on the way, and then fires those that have become due: what a
   * program sees that was blocked or suspended for so long.
   *
   * @param milliseconds How long; at least 0.
   */
  stall(milliseconds: number): void {
    this.#goTo(this.#after(milliseconds));
    this.advance(0);
  }

  /**
   * Sets the wall clock, as an administrator or a time server does. Time itself does not go on.
   *
   * @param now A date or milliseconds since the epoch.
   */
  setNow(now: number | string | Date): void {
    this.#now = toEpoch(now);
  }

  /** The monotonic time so long from now. */
  #after(milliseconds: number): number {
    if (milliseconds >= 0 && milliseconds < Infinity) return this.#monotonic + milliseconds;
    throw new RangeError(
      `Cannot advance a FakeClock: expected milliseconds of at least 0: received ${milliseconds}`,
    );
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (
        next === undefined || timer.due < next.due ||
        (timer.due === next.due && timer.order < next.order)
      ) next = timer;
    }
    return next;
  }

  #goTo(monotonic: number): void {
    this.#now += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}

function toEpoch(date: number | string | Date): number {
  const epoch = new Date(date).getTime();
  if (!Number.isNaN(epoch)) return epoch;
  throw new TypeError(`Cannot set a FakeClock: expected a date: received ${Deno.inspect(date)}`);
}
