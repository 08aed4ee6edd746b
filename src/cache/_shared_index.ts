import { BUCKET_WORDS, type SharedMemory, UNIT_WORDS, WAYS } from "./_shared_layout.ts";
import { HASH, RECORD_EXPIRY, type Records, type Sought } from "./_shared_records.ts";
import { Reads } from "./_shared_reads.ts";
import { epochOf, isAlive } from "./_shared_state.ts";
import type { Tally } from "./_shared_tally.ts";
import { NEVER } from "./_shared_time.ts";

/** Somebody else may move the same record again and again. More often than this, the buffer is broken. */
const TURNS = 64;

/**
 * From keys to addresses. A key may be in either of two neighbouring buckets, so in one of 16 slots. A
 * slot is set or cleared by one compare-exchange of the address; the tag beside it only saves looking at
 * records that are somebody else's, and tells which epoch the address is of.
 *
 * Nothing that it finds is believed before the record itself was looked at: the address may be of an
 * earlier epoch, and lead into the midst of other records.
 */
export class SharedIndex {
  readonly reads: Reads;
  readonly #words: Int32Array;
  readonly #halves: Uint16Array;
  readonly #first: number;
  readonly #mask: number;
  readonly #records: Records;
  readonly #tally: Tally;
  /** A word of this thread's own: an atomic addition to it keeps reads in their order. */
  readonly #fence = new Int32Array(new SharedArrayBuffer(4));

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
    const { hash } = sought;
    const tag = hash >>> 24;
    const home = hash & this.#mask;
    let skip = from >= 0;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      const tags = (slots + WAYS) * 2;
      for (let way = 0; way < WAYS; way++) {
        if (skip) {
          if (slots + way === from) skip = false;
          continue;
        }
        if (this.#halves[tags + way]! >>> 8 !== tag) continue;
        if (this.#leadsTo(slots + way, sought)) return slots + way;
      }
    }
    return -1;
  }

  #leadsTo(slot: number, sought: Sought): boolean {
    const words = this.#words;
    let address = words[slot]!;
    for (let turn = 0; address !== 0 && turn < TURNS; turn++) {
      if (this.#records.match(address, sought) !== 0) return true;
      // The record may have moved after the address was read, and its segment been used again. Who took
      // it for gone would leave it there, and a newer one in another slot beside it.
      Atomics.add(this.#fence, 0, 1);
      const now = Atomics.load(words, slot);
      if (now === address) return false;
      address = now;
    }
    return false;
  }

  /** The slot that leads to the living record at this address; `-1`: none. */
  slotOf(address: number): number {
    const hash = this.#words[address * UNIT_WORDS + HASH]!;
    const home = hash & this.#mask;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      for (let slot = slots; slot < slots + WAYS; slot++) {
        if (this.#words[slot] !== address) continue;
        if (this.#halves[this.#tagOf(slot)]! >>> 8 === hash >>> 24) return slot;
      }
    }
    return -1;
  }

  /** The record has a copy elsewhere, to which its slot is to lead. `false`: the slot has changed. */
  move(slot: number, from: number, to: number, meta: number): boolean {
    if (!this.put(slot, from, to, this.#words[from * UNIT_WORDS + HASH]!, meta)) return false;
    this.reads.spend(slot);
    return true;
  }

  /** Whether another slot may be of the same key: seldom, so that looking closely costs nothing. */
  mayHaveTwin(hash: number, own: number): boolean {
    const tag = hash >>> 24;
    const home = hash & this.#mask;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      const tags = (slots + WAYS) * 2;
      for (let way = 0; way < WAYS; way++) {
        if (this.#halves[tags + way]! >>> 8 !== tag || slots + way === own) continue;
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
      for (let way = 0; way < WAYS; way++) {
        const address = words[slots + way]!;
        if (address === 0) return slots + way;
        if (dead < 0 && this.isStale(slots + way, address)) dead = slots + way;
      }
      if (dead >= 0) return dead;
    }
    let soonest = -1;
    let expiry = Infinity;
    for (let half = 0; half < 2; half++) {
      const slots = this.#first + (home ^ half) * BUCKET_WORDS;
      for (let way = 0; way < WAYS; way++) {
        const address = words[slots + way]!;
        if (this.ownMeta(slots + way, address) === 0) return slots + way;
        const candidate = words[address * UNIT_WORDS + RECORD_EXPIRY]!;
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

  /** Whether the record of a slot is dead. The tag tells at once that most are not. */
  isStale(slot: number, address: number): boolean {
    const word = this.#records.metaWord(address);
    if (word < 0) return true;
    const meta = this.#words[word]!;
    if (isAlive(meta) && (this.#halves[this.#tagOf(slot)]! & 255) === (epochOf(meta) & 255)) {
      return false;
    }
    // The tag is written after the address: it may still be that of the address before.
    return this.#records.metaOf(address) === 0;
  }

  /**
   * As `metaOf`, if the slot is the one of the record. Else it was left over from an earlier epoch, when
   * another record began at the same address.
   */
  ownMeta(slot: number, address: number): number {
    const meta = this.#records.metaOf(address);
    if (meta === 0) return 0;
    const hash = this.#words[address * UNIT_WORDS + HASH]!;
    const bucket = (slot - this.#first) >>> 4;
    const isNear = ((hash & this.#mask) ^ bucket) <= 1;
    return isNear && this.#halves[this.#tagOf(slot)]! >>> 8 === hash >>> 24 ? meta : 0;
  }

  /**
   * Puts an address in the place of another, and counts both records.
   *
   * @param meta The epoch of the segment of the new record.
   * @param counts Whether the record before is no longer in the index then.
   * @returns `false`: the slot holds another address by now.
   */
  put(
    slot: number,
    before: number,
    address: number,
    hash: number,
    meta: number,
    counts = before !== address,
  ): boolean {
    const words = this.#words;
    const old = before === 0 || !counts ? 0 : this.ownMeta(slot, before);
    const oldUnits = old === 0 ? 0 : this.#records.unitsOf(before);
    // What nobody can find needs no tag any more. Else the old one must last as long as the old address.
    if (old === 0 && before !== address) this.#halves[this.#tagOf(slot)] = tagOf(hash, meta);
    if (Atomics.compareExchange(words, slot, before, address) !== before) {
      if (old === 0) this.#tag(slot, address, hash, meta);
      return false;
    }
    if (address !== 0) this.#tag(slot, address, hash, meta);
    if (old !== 0) this.#tally.add(this.#records.segmentOf(before), old, -1, -oldUnits);
    return true;
  }

  /** Clears the slots of a bucket whose records are dead. Returns how many. */
  scrub(bucket: number): number {
    const slots = this.#first + bucket * BUCKET_WORDS;
    let cleared = 0;
    for (let slot = slots; slot < slots + WAYS; slot++) {
      const address = this.#words[slot]!;
      if (address === 0 || !this.isStale(slot, address)) continue;
      if (Atomics.compareExchange(this.#words, slot, address, 0) === address) cleared++;
    }
    return cleared;
  }

  /** Of several that write the tag of a slot at once, the last one sees that it is another's. */
  #tag(slot: number, address: number, hash: number, meta: number): void {
    const words = this.#words;
    const tag = this.#tagOf(slot);
    let current = address;
    let [currentHash, currentMeta] = [hash, meta];
    for (let attempt = 0; attempt < 64; attempt++) {
      Atomics.store(this.#halves, tag, tagOf(currentHash, currentMeta));
      const next = Atomics.load(words, slot);
      if (next === current || next === 0) return;
      currentMeta = this.#records.metaOf(next);
      if (currentMeta === 0) return;
      current = next;
      currentHash = words[next * UNIT_WORDS + HASH]!;
    }
  }

  #tagOf(slot: number): number {
    const way = slot - this.#first & BUCKET_WORDS - 1;
    return (slot - way + WAYS) * 2 + way;
  }
}

/** What stands beside an address: bits of the hash, and of the epoch. */
function tagOf(hash: number, meta: number): number {
  return hash >>> 24 << 8 | epochOf(meta) & 255;
}
