import type { Clock } from "../base/clock.ts";
import type { Removals } from "./_ttl_removals.ts";
import type { TtlStore } from "./_ttl_store.ts";
import { setIdleTimer } from "./_ttl_timer.ts";

/** Reading the clock costs as much as removing half an entry, or as looking at a hundred. */
const REMOVALS_PER_LOOK = 64;
const SLOTS_PER_LOOK = 16_384;
/** So many slots are looked at within a millisecond. */
const SLOTS_AT_ONCE = 2 ** 20;

/**
 * Removes what has expired: now and then all slots are looked at, in slices. Each sweep compares all
 * of them with the time that it is, so one that comes late, or not at all, leaves nothing behind.
 */
export class Sweeper<K, V> {
  readonly #store: TtlStore<K, V>;
  readonly #removals: Removals<K, V>;
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #budget: number;
  readonly #slice = (): void => this.#sweepSlice();
  #timer: Disposable | undefined;
  #immediate: ReturnType<typeof setImmediate> | undefined;
  /** The slot that is looked at next. */
  #at = 0;
  /** Whether a timer is set, a sweep is going on, or there never will be one. */
  #busy: boolean;

  constructor(
    store: TtlStore<K, V>,
    removals: Removals<K, V>,
    { clock, interval, budget }: { clock: Clock; interval: number; budget: number },
  ) {
    this.#store = store;
    this.#removals = removals;
    this.#clock = clock;
    this.#interval = interval;
    this.#budget = budget;
    this.#busy = interval === Infinity;
  }

  /** Says that there is an entry that can expire. A cache without any has no timer. */
  arm(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#timer = setIdleTimer(this.#clock, () => this.#begin(), this.#interval);
  }

  /** Stops for ever, also in the midst of a sweep. */
  close(): void {
    this.#busy = true;
    this.#timer?.[Symbol.dispose]();
    clearImmediate(this.#immediate);
    this.#timer = this.#immediate = undefined;
    // A slice that is calling the user's code right now ends at its next look.
    this.#at = Infinity;
  }

  #begin(): void {
    this.#timer = undefined;
    this.#at = 0;
    // A Map that loses its entries one by one is made smaller now and then, which takes as long as many
    // slices; one that loses all at once is not.
    if (!this.#removals.isHeard && this.#store.used <= SLOTS_AT_ONCE) {
      const { size } = this.#store.slots;
      if (this.#store.isAllExpired(this.#clock.monotonic())) {
        this.#removals.counts.expired += size;
        this.#store.clear();
      }
    }
    this.#sweepSlice();
  }

  #sweepSlice(): void {
    this.#immediate = undefined;
    const now = this.#clock.monotonic();
    const end = now + this.#budget;
    while (this.#at < this.#store.used) {
      this.#sweepSome(now);
      if (this.#at < this.#store.used && this.#clock.monotonic() >= end) {
        this.#immediate = setImmediate(this.#slice);
        return;
      }
    }
    if (this.#at === Infinity) return;
    if (this.#store.slots.size === 0) this.#store.clear();
    this.#busy = false;
    if (this.#store.hasMortal()) this.arm();
  }

  /** Does as much as may be done without a look at the clock. */
  #sweepSome(now: number): void {
    const store = this.#store;
    const removals = this.#removals;
    const to = Math.min(this.#at + SLOTS_PER_LOOK, store.used);
    if (!removals.isHeard) {
      for (let removed = 0; removed < REMOVALS_PER_LOOK; removed++) {
        const slot = store.nextExpired(this.#at, to, now);
        this.#at = slot + 1;
        if (slot >= to) return void (this.#at = to);
        store.remove(slot);
        removals.counts.expired++;
      }
      return;
    }
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
}
