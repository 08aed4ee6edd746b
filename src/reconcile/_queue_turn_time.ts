import { type Clock, systemClock } from "../base/clock.ts";

/**
 * The monotonic time, read at most once in each turn: to read it takes longer than to queue a key. For
 * a burst of adds it is exact enough, and for nothing that counts from now. Only the computer's clock
 * stands still for a turn; another one may be moved at any moment, and is asked each time.
 */
export class TurnTime {
  readonly #clock: Clock;
  #now: number | undefined;
  readonly #forget = (): void => {
    this.#now = undefined;
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time, or that of an earlier call in this turn. */
  now(): number {
    if (this.#now !== undefined) return this.#now;
    const now = this.#clock.monotonic();
    if (this.#clock === systemClock) {
      this.#now = now;
      queueMicrotask(this.#forget);
    }
    return now;
  }
}
