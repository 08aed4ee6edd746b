import { LruOrder } from "./_lru_order.ts";

const LEAST_CAPACITY = 16;

/** What a store keeps beside keys, values and times. */
export interface TtlStoreParts {
  /** The order of use. */
  readonly order: boolean;
  /** The weight of each entry. */
  readonly weights: boolean;
  /** The time to live of each entry. */
  readonly ttls: boolean;
}

/**
 * The entries, without any notion of time: a key leads to a slot, and a slot to a place in each of
 * several arrays. The times when entries expire lie side by side as plain numbers, so looking for
 * expired ones reads 8 bytes an entry and touches no object; an object per entry would cost 50 times
 * as much.
 */
export class TtlStore<K, V> {
  /** Where each key is. */
  readonly slots = new Map<K, number>();
  /** The key in each slot. */
  keys: (K | undefined)[] = [];
  /** The value in each slot. */
  values: (V | undefined)[] = [];
  /** The last moment at which the entry in each slot is alive; Infinity in an empty one. */
  expires: Float64Array<ArrayBuffer> = new Float64Array(LEAST_CAPACITY);
  /** The time to live of each entry. */
  ttls: Float64Array<ArrayBuffer> | undefined;
  /** The weight of each entry. */
  weights: Float64Array<ArrayBuffer> | undefined;
  /** The order of use. */
  readonly order: LruOrder | undefined;
  /** No slot from here on has ever been used. */
  used = 0;
  /** The weight of all entries. */
  weight = 0;
  /** How often `remove` was called. */
  removals = 0;
  /** Slots that are empty again; the last one is used first. */
  #free = new Int32Array(0);
  #freeCount = 0;

  constructor(parts: TtlStoreParts) {
    this.order = parts.order ? new LruOrder() : undefined;
    this.weights = parts.weights ? new Float64Array(LEAST_CAPACITY) : undefined;
    this.ttls = parts.ttls ? new Float64Array(LEAST_CAPACITY) : undefined;
    this.order?.grow(LEAST_CAPACITY);
  }

  /** Puts in an entry whose key is not there. */
  insert(key: K, value: V, expires: number, ttl: number, weight: number): void {
    let slot: number;
    if (this.#freeCount > 0) {
      slot = this.#free[--this.#freeCount]!;
      this.keys[slot] = key;
      this.values[slot] = value;
    } else {
      slot = this.used++;
      if (slot === this.expires.length) this.#grow();
      // Pushing keeps the arrays dense.
      this.keys.push(key);
      this.values.push(value);
    }
    this.slots.set(key, slot);
    this.order?.append(slot);
    this.#stamp(slot, expires, ttl, weight);
  }

  /** Gives an entry another value. */
  replace(slot: number, value: V, expires: number, ttl: number, weight: number): void {
    this.values[slot] = value;
    this.order?.use(slot);
    if (this.weights !== undefined) this.weight -= this.weights[slot]!;
    this.#stamp(slot, expires, ttl, weight);
  }

  /** Takes an entry out. */
  remove(slot: number): void {
    this.removals++;
    this.slots.delete(this.keys[slot]!);
    this.keys[slot] = undefined;
    this.values[slot] = undefined;
    this.expires[slot] = Infinity;
    this.order?.remove(slot);
    if (this.weights !== undefined) {
      // Sums of fractions drift; nothing weighs nothing.
      this.weight = this.slots.size === 0 ? 0 : this.weight - this.weights[slot]!;
    }
    if (this.#freeCount === this.#free.length) {
      const larger = new Int32Array(Math.max(LEAST_CAPACITY, this.#freeCount * 2));
      larger.set(this.#free);
      this.#free = larger;
    }
    this.#free[this.#freeCount++] = slot;
  }

  /** Takes all entries out at once, and gives back their memory. */
  clear(): void {
    // Not a new Map: whoever iterates over this one must come to an end.
    this.slots.clear();
    this.keys = [];
    this.values = [];
    this.used = this.weight = this.#freeCount = 0;
    this.#free = new Int32Array(0);
    this.expires = new Float64Array(LEAST_CAPACITY);
    if (this.weights !== undefined) this.weights = new Float64Array(LEAST_CAPACITY);
    if (this.ttls !== undefined) this.ttls = new Float64Array(LEAST_CAPACITY);
    this.order?.clear(LEAST_CAPACITY);
  }

  /** The first slot in a range whose entry has expired; `to` when there is none. */
  nextExpired(from: number, to: number, now: number): number {
    const { expires } = this;
    let slot = from;
    while (slot < to && expires[slot]! >= now) slot++;
    return slot;
  }

  /** How many entries are alive. */
  countAlive(now: number): number {
    const { expires, used } = this;
    let expired = 0;
    for (let slot = 0; slot < used; slot++) if (expires[slot]! < now) expired++;
    return this.slots.size - expired;
  }

  /** How many entries in a range have expired; NaN when one is alive, unless it lives for ever. */
  countIfExpired(from: number, to: number, now: number): number {
    const { expires } = this;
    let expired = 0;
    for (let slot = from; slot < to; slot++) {
      if (expires[slot]! < now) expired++;
      // An empty slot cannot be told from an entry that lives for ever.
      else if (expires[slot] !== Infinity) return NaN;
    }
    return expired;
  }

  /** Whether any entry will ever expire. Most times the first one tells. */
  hasMortal(): boolean {
    const { expires, used } = this;
    for (let slot = 0; slot < used; slot++) if (expires[slot] !== Infinity) return true;
    return false;
  }

  #stamp(slot: number, expires: number, ttl: number, weight: number): void {
    this.expires[slot] = expires;
    if (this.ttls !== undefined) this.ttls[slot] = ttl;
    if (this.weights !== undefined) {
      this.weights[slot] = weight;
      this.weight += weight;
    }
  }

  #grow(): void {
    const capacity = this.expires.length * 2;
    this.expires = grown(this.expires, capacity);
    if (this.weights !== undefined) this.weights = grown(this.weights, capacity);
    if (this.ttls !== undefined) this.ttls = grown(this.ttls, capacity);
    this.order?.grow(capacity);
  }
}

function grown(array: Float64Array<ArrayBuffer>, capacity: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(capacity);
  larger.set(array);
  return larger;
}
