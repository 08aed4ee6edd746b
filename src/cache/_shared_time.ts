import type { Clock } from "../base/clock.ts";
import { BASE, CLOCK_KIND, NOW, type SharedMemory } from "./_shared_layout.ts";

/** Milliseconds of a tick, the unit of expiry. A word of ticks holds 397 days. */
export const TICK = 16;
/** The expiry of what never expires. */
export const NEVER = 0x7fffffff;
/** The last moment of the cache's time. */
const LAST = NEVER - 1;
/** Within so many ticks of its end, an entry is worth the real time: one second. */
const CLOSE = 63;

/** The word of the header: whose time the cache follows. */
export const REAL_TIME = 0;
export const GIVEN_TIME = 1;

/**
 * The time of a cache: ticks since it was made. The latest one that anybody saw is in the buffer, and
 * reading it costs a nanosecond where asking the computer costs a hundred.
 */
export class SharedTime {
  readonly #words: Int32Array;
  readonly #read: (() => number) | undefined;
  readonly #zero: number;
  /** A given clock costs little, and its user wants to see what it says. */
  readonly #isGiven: boolean;
  #reads = 0;

  /**
   * @param clock For a cache that follows a clock of its user's: that clock, where it is at hand. A
   * thread that has none goes by what others publish.
   */
  constructor(memory: SharedMemory, clock: Clock | undefined) {
    this.#words = memory.words;
    this.#isGiven = memory.words[CLOCK_KIND] === GIVEN_TIME;
    if (this.#isGiven) {
      this.#read = clock && (() => clock.monotonic());
      this.#zero = clock?.monotonic() ?? 0;
      this.#zero -= (this.#words[NOW] ?? 0) * TICK;
      return;
    }
    this.#read = () => performance.now();
    // Each thread counts from its own start, which it knows as a date.
    const zero = (memory.floats[BASE / 2] ?? 0) - performance.timeOrigin;
    // The computer's date may have been set back before this thread began. Time must not go back.
    const behind = Math.max(0, (this.#words[NOW] ?? 0) * TICK - (performance.now() - zero));
    this.#zero = zero - behind;
  }

  /** The latest moment that anybody saw. */
  get seen(): number {
    return this.#words[NOW]!;
  }

  /** Asks the clock, and tells all threads. */
  now(): number {
    const seen = this.#words[NOW]!;
    if (this.#read === undefined) return seen;
    const tick = Math.min(LAST, Math.max(0, Math.floor((this.#read() - this.#zero) / TICK)));
    // A slower thread may put it back by an instant; time then goes on from the next look.
    if (tick > seen) Atomics.store(this.#words, NOW, tick);
    return tick > seen ? tick : seen;
  }

  /** Whether the moment has come. It asks the clock only when that may matter, or now and then. */
  isPast(expiry: number): boolean {
    if (expiry === NEVER) return false;
    const left = expiry - this.#words[NOW]!;
    if (left <= 0) return true;
    if (left > CLOSE && !this.#isGiven && (++this.#reads & 15) !== 0) return false;
    return expiry <= this.now();
  }

  /** The tick at which what is written now, for so many milliseconds, has expired. */
  expiryAfter(ttl: number): number {
    // Asked for in any case: who only reads goes by what those who write tell.
    const now = this.now();
    if (ttl === Infinity) return NEVER;
    // Counted from the tick that began before now, so that nothing lives shorter than it was to.
    const ticks = Math.ceil(ttl / TICK) + 1;
    return Math.min(LAST, now + ticks);
  }
}
