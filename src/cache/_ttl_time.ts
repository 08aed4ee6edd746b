import { type Clock, systemClock } from "../base/clock.ts";

/**
 * The time, for reads of entries.
 *
 * Each read looks at the clock. The computer's clock waits until the processor has done all that it
 * began: in a cache of a million entries, where a read waits for memory, that makes reads in a loop half
 * as long again. So whoever promises how long synchronous code can take gets one look for many reads:
 * an entry that has longer than that to live cannot expire before the code at hand ends.
 */
export class TtlTime {
  readonly #clock: Clock;
  /** In milliseconds; Infinity: nothing is promised. */
  readonly #maxStall: number;
  /** What expires after this is alive for as long as the code at hand runs. Infinity: nobody looked. */
  #horizon = Infinity;
  readonly #forget = (): void => void (this.#horizon = Infinity);

  /** @param maxStall Given clocks are always asked: they may be set forward at any time. */
  constructor(clock: Clock, maxStall: number) {
    this.#clock = clock;
    this.#maxStall = clock === systemClock ? maxStall : Infinity;
  }

  /** The time now. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** Whether something that expires then has expired. */
  isPast(expires: number): boolean {
    if (expires > this.#horizon || expires === Infinity) return false;
    const now = this.#clock.monotonic();
    if (this.#horizon === Infinity && expires > now + this.#maxStall) {
      this.#horizon = now + this.#maxStall;
      queueMicrotask(this.#forget);
    }
    return expires < now;
  }
}
