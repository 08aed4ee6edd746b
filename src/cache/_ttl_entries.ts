import { show } from "../base/show.ts";
import type { TtlConfig } from "./_ttl_config.ts";
import { Removals } from "./_ttl_removals.ts";
import { TtlStore } from "./_ttl_store.ts";
import { TtlTime } from "./_ttl_time.ts";
import type { RemovalCause } from "./removal_cause.ts";
import type { TtlCacheOptions } from "./ttl_cache_options.ts";

/** The entries with their times and limits. */
export class TtlEntries<K, V> {
  /** The entries themselves. */
  readonly store: TtlStore<K, V>;
  /** What became of others. */
  readonly removals: Removals<K, V>;
  readonly #time: TtlTime;
  readonly #maxSize: number;
  readonly #maxWeight: number;
  readonly #weigh: ((value: V, key: K) => number) | undefined;

  constructor(options: TtlCacheOptions<K, V>, config: TtlConfig) {
    const { clock, maxStall, maxSize, maxWeight } = config;
    this.#time = new TtlTime(clock, maxStall);
    this.#maxSize = maxSize;
    this.#maxWeight = maxWeight;
    this.#weigh = options.weigh;
    this.removals = new Removals(options.onRemove);
    this.store = new TtlStore({
      order: maxSize !== Infinity || maxWeight !== Infinity,
      weights: maxWeight !== Infinity,
      ttls: options.updateOnGet === true,
    });
  }

  /** The slot of a live entry. */
  find(key: K): number | undefined {
    const slot = this.store.slots.get(key);
    return slot !== undefined && this.isAlive(slot) ? slot : undefined;
  }

  /** The slot of a live entry, which counts as used now; an expired one is removed. */
  use(key: K): number | undefined {
    const { store } = this;
    const slot = store.slots.get(key);
    if (slot === undefined) return undefined;
    if (this.#time.isPast(store.expires[slot]!)) {
      this.#remove(slot, "expired");
      this.removals.tell();
      return undefined;
    }
    if (store.ttls !== undefined) store.expires[slot] = this.#time.now() + store.ttls[slot]!;
    store.order?.use(slot);
    return slot;
  }

  /** Whether the entry in a slot is alive. */
  isAlive(slot: number): boolean {
    return !this.#time.isPast(this.store.expires[slot]!);
  }

  /** How long the entry in a slot lives on. */
  remaining(slot: number): number {
    return Math.max(0, this.store.expires[slot]! - this.#time.now());
  }

  /** How many are alive. */
  countAlive(): number {
    return this.store.countAlive(this.#time.now());
  }

  /** The weight of an entry to be. Throws what the user's code throws. */
  weightOf(key: K, value: V): number {
    if (this.#weigh === undefined) return 0;
    const weight = this.#weigh(value, key);
    if (typeof weight === "number" && weight >= 0 && weight < Infinity) return weight;
    throw new RangeError(
      `Cannot set ${show(key)} in a TtlCache: expected a finite number of at least 0 from weigh: ` +
        `received ${show(weight)}`,
    );
  }

  /** Adds an entry or gives it another value. To be followed by `removals.tell()`. */
  put(key: K, value: V, ttl: number, weight: number): void {
    const { store } = this;
    const now = this.#time.now();
    const slot = store.slots.get(key);
    if (slot !== undefined) {
      this.removals.note(key, store.values[slot]!, this.#causeAt(slot, now, "replaced"));
    }
    if (weight > this.#maxWeight) {
      if (slot !== undefined) store.remove(slot);
      this.removals.note(key, value, "evicted");
    } else if (slot !== undefined) {
      store.replace(slot, value, now + ttl, ttl, weight);
      this.#makeRoom(now, 0, 0);
    } else {
      this.#makeRoom(now, 1, weight);
      store.insert(key, value, now + ttl, ttl, weight);
    }
  }

  /** Removes an entry; whether it was alive. */
  delete(key: K): boolean {
    const slot = this.store.slots.get(key);
    if (slot === undefined) return false;
    const cause = this.#causeAt(slot, this.#time.now(), "deleted");
    this.#remove(slot, cause);
    this.removals.tell();
    return cause === "deleted";
  }

  /** Removes all entries. */
  clear(): void {
    const { store, removals } = this;
    const now = this.#time.now();
    if (removals.isHeard) {
      for (const [key, slot] of store.slots) {
        removals.note(key, store.values[slot]!, this.#causeAt(slot, now, "cleared"));
      }
    } else {
      const alive = store.countAlive(now);
      removals.counts.cleared += alive;
      removals.counts.expired += store.slots.size - alive;
    }
    store.clear();
    removals.tell();
  }

  /** Evicts until there is room for so much more. */
  #makeRoom(now: number, size: number, weight: number): void {
    const { store } = this;
    const { order, slots } = store;
    if (order === undefined) return;
    while (
      // The entry that room is made for stays, whatever the rounding of weights.
      slots.size + size > 1 &&
      (slots.size + size > this.#maxSize || store.weight + weight > this.#maxWeight)
    ) {
      this.#remove(order.first, this.#causeAt(order.first, now, "evicted"));
    }
  }

  /** An entry that had expired already is gone for that reason. */
  #causeAt(slot: number, now: number, cause: RemovalCause): RemovalCause {
    return this.store.expires[slot]! < now ? "expired" : cause;
  }

  #remove(slot: number, cause: RemovalCause): void {
    const key = this.store.keys[slot]!;
    const value = this.store.values[slot]!;
    this.store.remove(slot);
    this.removals.note(key, value, cause);
  }
}
