import { BUCKET_WORDS, type SharedMemory, UNIT_WORDS, WAYS } from "./_shared_layout.ts";
import { orderReads } from "./_shared_order.ts";
import { Reads } from "./_shared_reads.ts";
import { addressOf, HASH, RECORD_EXPIRY, type Records, type Sought } from "./_shared_records.ts";
import type { Tally } from "./_shared_tally.ts";
import { NEVER } from "./_shared_time.ts";

/** Somebody else may move the same record again and again. More often than this, the buffer is broken. */
const TURNS = 64;

/**
 * From keys to records. A key may be in either of two neighbouring buckets, so in one of 16 slots. A slot
 * is set or cleared by one compare-exchange; the tag beside it, half of the key's hash, only saves looking
 * at records that are somebody else's.
 *
 * Nothing that it finds is believed before the record itself was looked at: what a slot holds may be of
 * an earlier epoch, and lead into the midst of other records.
 */
export class SharedIndex {
  readonly reads: Reads;
  /** What the slot held that was found last, and the epoch and state of the segment of its record. */
  ref = 0;
  meta = 0;
  readonly #words: Int32Array;
  readonly #halves: Uint16Array;
  readonly #first: number;
  readonly #mask: number;
  readonly #records: Records;
  readonly #tally: Tally;

  constructor(memory: SharedMemory, records: Records, tally: Tally) {
    const { index, buckets } = memory.layout;
    this.#words = memory.words;
    this.#halves = memory.halves;
    this.#first = index;
    this.#mask = buckets - 1;
    this.reads = new Reads(memory);
    this.#records = records;
    this.#tally = tally;
  }

  /** How many buckets there are. */
  get buckets(): number {
    return this.#mask + 1;
  }

  /**
   * The slot of the key; `-1` when there is none. `from`: a slot found before, to look on behind it.
   */
  find(sought: Sought, from = -1): number {
    const tag = sought.hash >>> 16;
    const home = sought.hash & this.#mask;
    let skip = from >= 0;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      const tags = (slots + WAYS) * 2;
      for (let way = 0; way < WAYS; way++) {
        if (skip) {
          if (slots + way === from) skip = false;
          continue;
        }
        if (this.#halves[tags + way] !== tag) continue;
        if (this.#leadsTo(slots + way, sought)) return slots + way;
      }
    }
    return -1;
  }

  #leadsTo(slot: number, sought: Sought): boolean {
    const words = this.#words;
    let ref = words[slot]!;
    for (let turn = 0; ref !== 0 && turn < TURNS; turn++) {
      const meta = this.#records.match(ref, sought);
      if (meta !== 0) {
        this.ref = ref;
        this.meta = meta;
        return true;
      }
      // The record may have moved after the slot was read, and its segment been used again. Who took it
      // for gone would leave it there, and a newer one in another slot beside it.
      orderReads();
      const now = Atomics.load(words, slot);
      if (now === ref) return false;
      ref = now;
    }
    return false;
  }

  /** The slot that leads to a living record; `-1`: none. */
  slotOf(ref: number): number {
    const hash = this.#hashOf(ref);
    const home = hash & this.#mask;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      for (let slot = slots; slot < slots + WAYS; slot++) {
        if (this.#words[slot] !== ref) continue;
        if (this.#halves[this.#tagOf(slot)] === hash >>> 16) return slot;
      }
    }
    return -1;
  }

  /** Whether another slot may be of the same key: seldom, so that looking closely costs nothing. */
  mayHaveTwin(hash: number, own: number): boolean {
    const tag = hash >>> 16;
    const home = hash & this.#mask;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      const tags = (slots + WAYS) * 2;
      for (let way = 0; way < WAYS; way++) {
        if (this.#halves[tags + way] !== tag || slots + way === own) continue;
        if (this.#words[slots + way] !== 0) return true;
      }
    }
    return false;
  }

  /** A slot for a new key: an empty one, one whose record is dead, or the one that expires soonest. */
  room(hash: number): number {
    const words = this.#words;
    const home = hash & this.#mask;
    let dead = -1;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      for (let slot = slots; slot < slots + WAYS; slot++) {
        const ref = words[slot]!;
        if (ref === 0) return slot;
        if (dead < 0 && !this.#records.isInTime(ref)) dead = slot;
      }
      if (dead >= 0) return dead;
    }
    let soonest = -1;
    let expiry = Infinity;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      for (let way = 0; way < WAYS; way++) {
        const ref = words[slots + way]!;
        if (this.ownMeta(slots + way, ref) === 0) return slots + way;
        const candidate = words[addressOf(ref) * UNIT_WORDS + RECORD_EXPIRY]!;
        if (candidate < expiry || soonest < 0) {
          soonest = slots + way;
          expiry = candidate;
        }
        // Of records that never expire, any one but always the same would starve a slot.
        if (candidate === NEVER && expiry === NEVER && (hash >>> 8 & 15) === (half << 3 | way)) {
          soonest = slots + way;
        }
      }
    }
    return soonest;
  }

  /**
   * The epoch and state of the segment if the slot leads to a living record, and is the one of it, else
   * `0`: it was left over, from when a record of another part of the index began at the same address.
   */
  ownMeta(slot: number, ref: number): number {
    const meta = this.#records.metaOf(ref);
    if (meta === 0) return 0;
    const bucket = (slot - this.#first) >>> 4;
    return (this.#hashOf(ref) & this.#mask ^ bucket) <= 1 ? meta : 0;
  }

  /**
   * Makes sure that no slot near its own leads to a record that is about to be written. One that was left
   * over from an earlier epoch would: then there would be two of one record, and it be counted twice.
   */
  prepare(hash: number, ref: number): void {
    const words = this.#words;
    const home = hash & this.#mask;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      for (let slot = slots; slot < slots + WAYS; slot++) {
        if (words[slot] === ref) Atomics.compareExchange(words, slot, ref, 0);
      }
    }
  }

  /**
   * Lets a slot lead to another record, and counts out the one before.
   *
   * @param ref What leads to the record; `0`: none.
   * @param hash The hash of its key.
   * @returns `false`: the slot holds something else by now.
   */
  put(slot: number, before: number, ref: number, hash: number): boolean {
    const words = this.#words;
    const old = before === 0 ? 0 : this.ownMeta(slot, before);
    const oldUnits = old === 0 ? 0 : this.#records.unitsOf(before);
    if (Atomics.compareExchange(words, slot, before, ref) !== before) return false;
    // Only now: the old tag must last as long as the old record.
    if (ref !== 0) this.#tag(slot, ref, hash);
    if (old !== 0) this.#tally.add(this.#records.segmentOf(before), old, -1, -oldUnits);
    return true;
  }

  /** The record has a copy elsewhere, to which its slot is to lead. `false`: the slot has changed. */
  move(slot: number, from: number, to: number): boolean {
    if (!this.put(slot, from, to, this.#hashOf(from))) return false;
    this.reads.spend(slot);
    return true;
  }

  /** Clears the slots of a bucket whose records are dead. Returns how many. */
  scrub(bucket: number): number {
    const slots = this.#first + bucket * BUCKET_WORDS;
    let cleared = 0;
    for (let slot = slots; slot < slots + WAYS; slot++) {
      const ref = this.#words[slot]!;
      if (ref === 0 || this.#records.isInTime(ref)) continue;
      if (Atomics.compareExchange(this.#words, slot, ref, 0) === ref) cleared++;
    }
    return cleared;
  }

  /** Of several that write the tag of a slot at once, the last one sees that it is another's. */
  #tag(slot: number, ref: number, hash: number): void {
    const words = this.#words;
    const tag = this.#tagOf(slot);
    let current = ref;
    let currentHash = hash;
    for (let turn = 0; turn < TURNS; turn++) {
      Atomics.store(this.#halves, tag, currentHash >>> 16);
      const next = Atomics.load(words, slot);
      if (next === current || next === 0 || this.#records.metaOf(next) === 0) return;
      current = next;
      currentHash = this.#hashOf(next);
    }
  }

  #tagOf(slot: number): number {
    const way = slot - this.#first & BUCKET_WORDS - 1;
    return (slot - way + WAYS) * 2 + way;
  }

  #hashOf(ref: number): number {
    return this.#words[addressOf(ref) * UNIT_WORDS + HASH]!;
  }
}
