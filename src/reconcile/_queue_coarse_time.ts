import { type Clock, systemClock } from "../base/clock.ts";

/** Never a clock that a test has put in its place. */
const { now: wallTime } = Date;

/**
 * The monotonic time, behind by less than a millisecond: within one millisecond of the wall clock, which
 * takes half as long to read, it is read once. Only the computer's two clocks go together; another one
 * is asked each time.
 */
export class CoarseTime {
  readonly #clock: Clock;
  #wall = NaN;
  #now = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time. It never goes back. */
  now(): number {
    if (this.#clock !== systemClock) return this.#clock.monotonic();
    const wall = wallTime();
    if (wall === this.#wall) return this.#now;
    this.#wall = wall;
    return this.#now = this.#clock.monotonic();
  }
}
