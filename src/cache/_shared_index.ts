import {
  BUCKET_WORDS,
  GENERATION,
  META,
  RECORD_BYTES,
  RECORD_WORDS,
  SEGMENT_WORDS,
  type SharedMemory,
  UNIT_SHIFT,
  WAYS,
} from "./_shared_layout.ts";
import type { Segments } from "./_shared_segments.ts";
import { epochOf, isAlive } from "./_shared_state.ts";
import { sealOf } from "./_shared_text.ts";
import { NEVER } from "./_shared_time.ts";

/** A record's header, in words. */
export const SEAL = 0;
export const HASH = 1;
export const RECORD_EXPIRY = 2;
/** The key's length in 17 bits, and the codec of the value. */
export const KEY = 3;
export const VALUE = 4;
export const KEY_BITS = 17;
export const KEY_MASK = 2 ** KEY_BITS - 1;

/** A key, as it is looked for. */
export interface Sought {
  hash: number;
  length: number;
  readonly bytes: Uint8Array;
}

/**
 * From keys to addresses. A key may be in either of two neighbouring buckets, so in one of 16 slots. A
 * slot is set or cleared by one compare-exchange of the address; the tag beside it only saves looking at
 * records that are somebody else's, and tells which epoch the address is of.
 *
 * Nothing that it finds is believed before the record itself was looked at: the address may be of an
 * earlier epoch, and lead into the midst of other records.
 */
export class SharedIndex {
  readonly #words: Int32Array;
  readonly #halves: Uint16Array;
  readonly #bytes: Uint8Array;
  readonly #first: number;
  readonly #mask: number;
  readonly #headers: number;
  readonly #arena: number;
  readonly #segmentShift: number;
  readonly #unitMask: number;
  readonly #segmentBytes: number;
  readonly #count: number;
  readonly #secret: number;
  readonly #segments: Segments;

  constructor(memory: SharedMemory, segments: Segments, secret: number) {
    const { index, buckets, headers, arena, segmentShift } = memory.layout;
    this.#words = memory.words;
    this.#halves = memory.halves;
    this.#bytes = memory.bytes;
    this.#first = index;
    this.#mask = buckets - 1;
    this.#headers = headers;
    this.#arena = arena;
    this.#segmentShift = segmentShift - UNIT_SHIFT;
    this.#unitMask = segments.units - 1;
    this.#segmentBytes = segments.units * 2 ** UNIT_SHIFT;
    this.#count = segments.count;
    this.#secret = secret;
    this.#segments = segments;
  }

  /** How many buckets there are. */
  get buckets(): number {
    return this.#mask + 1;
  }

  segmentOf(address: number): number {
    return address - this.#arena >>> this.#segmentShift;
  }

  /** The word of the header of the address's segment that tells its epoch. `-1`: no such segment. */
  metaWord(address: number): number {
    const segment = this.segmentOf(address);
    return segment < this.#count ? this.#headers + segment * SEGMENT_WORDS + META : -1;
  }

  /** The epoch and state of the segment if the address is that of a living record, else `0`. */
  metaOf(address: number): number {
    const word = this.metaWord(address);
    if (word < 0) return 0;
    const meta = this.#words[word]!;
    if (!isAlive(meta)) return 0;
    const seal = sealOf(this.#secret, address, epochOf(meta), this.#words[GENERATION]!);
    // Atomic, so that nothing of the record is read before its seal.
    return Atomics.load(this.#words, address * 4 + SEAL) === seal ? meta : 0;
  }

  /** As `metaOf`, for a record of this key only, whose lengths make sense. */
  match(address: number, sought: Sought): number {
    const meta = this.metaOf(address);
    if (meta === 0) return 0;
    const words = this.#words;
    const at = address * 4;
    const { hash, length, bytes } = sought;
    if (words[at + HASH] !== hash || (words[at + KEY]! & KEY_MASK) !== length) return 0;
    const within = (address - this.#arena & this.#unitMask) << UNIT_SHIFT;
    const room = this.#segmentBytes - within - RECORD_BYTES - length;
    // The length of the value is the reader's to believe, so it is checked with the key's.
    if (words[at + VALUE]! < 0 || words[at + VALUE]! > room) return 0;
    const start = (at + RECORD_WORDS) * 4;
    const shared = this.#bytes;
    for (let i = 0; i < length; i++) if (shared[start + i] !== bytes[i]) return 0;
    return meta;
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
        const address = this.#words[slots + way]!;
        if (address !== 0 && this.match(address, sought) !== 0) return slots + way;
      }
    }
    return -1;
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
        const candidate = words[address * 4 + RECORD_EXPIRY]!;
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
    const word = this.metaWord(address);
    if (word < 0) return true;
    const meta = this.#words[word]!;
    if (isAlive(meta) && (this.#halves[this.#tagOf(slot)]! & 255) === (epochOf(meta) & 255)) {
      return false;
    }
    // The tag is written after the address: it may still be that of the address before.
    return this.metaOf(address) === 0;
  }

  /**
   * As `metaOf`, if the slot is the one of the record. Else it was left over from an earlier epoch, when
   * another record began at the same address.
   */
  ownMeta(slot: number, address: number): number {
    const meta = this.metaOf(address);
    if (meta === 0) return 0;
    const hash = this.#words[address * 4 + HASH]!;
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
    const oldUnits = old === 0 ? 0 : this.#unitsOf(before);
    // What nobody can find needs no tag any more. Else the old one must last as long as the old address.
    if (old === 0 && before !== address) this.#halves[this.#tagOf(slot)] = tagOf(hash, meta);
    if (Atomics.compareExchange(words, slot, before, address) !== before) {
      if (old === 0) this.#tag(slot, address, hash, meta);
      return false;
    }
    if (address !== 0) this.#tag(slot, address, hash, meta);
    if (old !== 0) this.#segments.tally(this.segmentOf(before), old, -1, -oldUnits);
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
      currentMeta = this.metaOf(next);
      if (currentMeta === 0) return;
      current = next;
      currentHash = words[next * 4 + HASH]!;
    }
  }

  #tagOf(slot: number): number {
    const way = slot - this.#first & BUCKET_WORDS - 1;
    return (slot - way + WAYS) * 2 + way;
  }

  #unitsOf(address: number): number {
    const at = address * 4;
    return unitsOf((this.#words[at + KEY]! & KEY_MASK) + this.#words[at + VALUE]!);
  }
}

/** What stands beside an address: bits of the hash, and of the epoch. */
function tagOf(hash: number, meta: number): number {
  return hash >>> 24 << 8 | epochOf(meta) & 255;
}

/** The units of a record whose key and value have so many bytes. */
export function unitsOf(bytes: number): number {
  return RECORD_BYTES + bytes + 15 >>> UNIT_SHIFT;
}
