import { type Clock, systemClock } from "../base/clock.ts";

/**
 * How much longer than this, in milliseconds, an entry must have had to live at the last look at the
 * clock, for the next reads to do without one.
 */
const MARGIN = 10_000;

/** How many reads may do without. */
const READS_PER_LOOK = 64;

/**
 * The time, read as seldom as is safe. The computer's clock waits until the processor has done all that
 * it began: with a million entries, where a read waits for memory, it makes reads twice as long.
 *
 * So one look serves for the next reads of entries that had more than 10 seconds to live, within the
 * same synchronous piece of code. Entries with less to live, and everything with another clock, are
 * looked at exactly: a busy thread makes no expired entry live on.
 */
export class TtlTime {
  readonly #clock: Clock;
  readonly #isSystem: boolean;
  /** What expires after this is alive; Infinity when the last look does not count any more. */
  #horizon = Infinity;
  #left = 0;
  readonly #forget = (): void => void (this.#horizon = Infinity);

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#isSystem = clock === systemClock;
  }

  /** The time now. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** Whether something that expires then has expired. */
  isPast(expires: number): boolean {
    if (expires > this.#horizon && --this.#left >= 0) return false;
    if (expires === Infinity) return false;
    const now = this.#clock.monotonic();
    // What follows close behind pays for the microtask.
    if (this.#isSystem && expires > now + MARGIN) {
      if (this.#horizon === Infinity) queueMicrotask(this.#forget);
      this.#horizon = now + MARGIN;
      this.#left = READS_PER_LOOK;
    }
    return expires < now;
  }
}
