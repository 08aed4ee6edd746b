import type { Clock } from "../base/clock.ts";
import { intervalFor, type TtlConfig } from "./_ttl_config.ts";
import type { Removals } from "./_ttl_removals.ts";
import type { TtlStore } from "./_ttl_store.ts";
import { setIdleTimer } from "./_ttl_timer.ts";

/** Reading the clock costs as much as removing half an entry, or as looking at a hundred. */
const REMOVALS_PER_LOOK = 64;
const SLOTS_PER_LOOK = 16_384;
/** After so many sweeps nothing is left of what was set before the first. */
const ROUNDS = 5;

/**
 * Removes what has expired: now and then all slots are looked at, in slices. Each sweep compares all
 * of them with the time that it is, so one that comes late, or not at all, leaves nothing behind.
 */
export class Sweeper<K, V> {
  readonly #store: TtlStore<K, V>;
  readonly #removals: Removals<K, V>;
  readonly #clock: Clock;
  readonly #interval: number | undefined;
  readonly #budget: number;
  readonly #batch = new Int32Array(REMOVALS_PER_LOOK);
  readonly #slice = (): void => this.#sweepSlice();
  #timer: Disposable | undefined;
  #immediate: ReturnType<typeof setImmediate> | undefined;
  /** The slot that is looked at next. */
  #at = 0;
  /** Whether it is still to be seen that any entry stays, and how many were seen that do not. */
  #isLooking = false;
  #expired = 0;
  /** How many removals there were when that began. */
  #removalsBefore = 0;
  /** The cache's time to live, and the shortest one that was set of late. */
  readonly #ttl: number;
  #shortest: number;
  /** The shortest of those longer than that one that were set since it was. */
  #second: number;
  /** Sweeps since that was set last. */
  #rounds = 0;
  /** Whether a timer is set, a sweep is going on, or there never will be one. */
  #busy: boolean;

  constructor(
    store: TtlStore<K, V>,
    removals: Removals<K, V>,
    { clock, ttl, interval, budget }: TtlConfig,
  ) {
    this.#store = store;
    this.#removals = removals;
    this.#clock = clock;
    this.#ttl = this.#shortest = this.#second = ttl;
    this.#interval = interval;
    this.#budget = budget;
    this.#busy = interval === Infinity;
  }

  /** Says that an entry was set. A cache without any that can expire has no timer. */
  arm(ttl: number): void {
    if (this.#isLooking) this.#removeEach();
    if (ttl < this.#ttl) this.#hurry(ttl);
    if (!this.#busy && ttl !== Infinity) this.#wait();
  }

  /** Does not wait for longer than an entry is worth that lives more briefly than the others. */
  #hurry(ttl: number): void {
    const before = this.#shortest;
    if (ttl > before) {
      if (ttl < this.#second) this.#second = ttl;
      return;
    }
    if (ttl < before) this.#second = before;
    this.#shortest = ttl;
    this.#rounds = 0;
    if (ttl === before || this.#timer === undefined || this.#interval !== undefined) return;
    if (intervalFor(ttl) >= intervalFor(before)) return;
    this.#timer[Symbol.dispose]();
    this.#wait();
  }

  #wait(): void {
    this.#busy = true;
    const interval = this.#interval ?? intervalFor(this.#shortest);
    this.#timer = setIdleTimer(this.#clock, () => this.#begin(), interval);
  }

  /** Stops for ever, also in the midst of a sweep. */
  close(): void {
    this.#busy = true;
    this.#isLooking = false;
    this.#timer?.[Symbol.dispose]();
    clearImmediate(this.#immediate);
    this.#timer = this.#immediate = undefined;
    // A slice that is calling the user's code right now ends at its next look.
    this.#at = Infinity;
  }

  #begin(): void {
    this.#timer = undefined;
    // With a sweep each quarter of it, what lived so briefly has expired by then.
    if (++this.#rounds > ROUNDS) {
      this.#shortest = this.#second;
      this.#second = this.#ttl;
      this.#rounds = 0;
    }
    this.#at = 0;
    // Whoever listens is to hear of each.
    this.#isLooking = !this.#removals.isHeard;
    this.#expired = 0;
    this.#removalsBefore = this.#store.removals;
    this.#sweepSlice();
  }

  #sweepSlice(): void {
    this.#immediate = undefined;
    const now = this.#clock.monotonic();
    const end = now + this.#budget;
    while (this.#at < this.#store.used) {
      if (this.#isLooking) this.#lookForLife(now);
      else this.#sweepSome(now);
      if (this.#at < this.#store.used && this.#clock.monotonic() >= end) {
        this.#immediate = setImmediate(this.#slice);
        return;
      }
    }
    if (this.#at === Infinity) return;
    if (this.#store.slots.size === 0) this.#store.clear();
    this.#busy = false;
    if (this.#store.hasMortal()) this.#wait();
  }

  /**
   * A Map that loses its entries one by one is made smaller now and then, which takes as long as many
   * slices; one that loses all at once is not. So it is seen first whether any is to stay.
   */
  #lookForLife(now: number): void {
    const { used, slots } = this.#store;
    // What was seen may have been removed since, and then the numbers no longer tell.
    if (this.#removalsBefore !== this.#store.removals) return this.#removeEach();
    const to = Math.min(this.#at + SLOTS_PER_LOOK, used);
    this.#expired += this.#store.countIfExpired(this.#at, to, now);
    this.#at = to;
    if (this.#expired >= 0 && to < used) return;
    if (this.#expired === slots.size) {
      this.#removals.counts.expired += slots.size;
      this.#store.clear();
    }
    this.#removeEach();
  }

  #removeEach(): void {
    this.#isLooking = false;
    this.#at = 0;
  }

  /** Does as much as may be done without a look at the clock. */
  #sweepSome(now: number): void {
    const store = this.#store;
    const removals = this.#removals;
    const to = Math.min(this.#at + SLOTS_PER_LOOK, store.used);
    if (!removals.isHeard) return this.#removeSome(to, now);
    // How long the user's code takes, nobody knows: the next look comes after one call.
    const slot = store.nextExpired(this.#at, to, now);
    this.#at = Math.min(slot + 1, to);
    if (slot >= to) return;
    const key = store.keys[slot]!;
    const value = store.values[slot]!;
    store.remove(slot);
    removals.note(key, value, "expired");
    removals.tell();
  }

  #removeSome(to: number, now: number): void {
    const { keys, slots } = this.#store;
    const batch = this.#batch;
    let count = 0;
    while (count < REMOVALS_PER_LOOK) {
      const slot = this.#store.nextExpired(this.#at, to, now);
      this.#at = Math.min(slot + 1, to);
      if (slot >= to) break;
      batch[count++] = slot;
    }
    // Looked up together, the processor waits for the memory of several at once: a quarter less in all.
    let found = 0;
    for (let i = 0; i < count; i++) if (slots.has(keys[batch[i]!]!)) found++;
    for (let i = 0; i < count; i++) this.#store.remove(batch[i]!);
    this.#removals.counts.expired += found;
  }
}
