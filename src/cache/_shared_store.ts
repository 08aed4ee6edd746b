import type { Clock } from "../base/clock.ts";
import { Appender } from "./_shared_appender.ts";
import { SharedIndex } from "./_shared_index.ts";
import {
  DROPS,
  EVICTIONS,
  EXPIRY,
  GENERATION,
  HITS,
  type Layout,
  MISSES,
  RECORD_BYTES,
  RECORD_WORDS,
  SCRUB_CURSOR,
  SECRET,
  SharedMemory,
  SWEEPS,
  UNIT_SHIFT,
} from "./_shared_layout.ts";
import { Merger } from "./_shared_merger.ts";
import {
  HASH,
  KEY,
  KEY_BITS,
  RECORD_EXPIRY,
  Records,
  SEAL,
  type Sought,
  unitsOf,
  VALUE,
} from "./_shared_records.ts";
import { SegmentSweep } from "./_shared_segment_sweep.ts";
import { Segments } from "./_shared_segments.ts";
import { epochOf, type OpenSegment } from "./_shared_state.ts";
import { Supply } from "./_shared_supply.ts";
import { Tally } from "./_shared_tally.ts";
import { hashBytes, LONGEST_KEY, sealOf, writeKey } from "./_shared_text.ts";
import { SharedTime } from "./_shared_time.ts";

/**
 * Buckets that a sweep scrubs. It is no hurry: an insert finds the dead slots of its own buckets by
 * itself, and no dead slot leads to anything wrong.
 */
const SCRUB_SLICE = 256;
/** Hits and misses are counted here, and told to all others after so many. */
const FLUSH = 256;
/** Others may change the same bucket. More turns than this mean that the buffer is broken. */
const TURNS = 1_000;

/**
 * The cache as bytes. One in each thread, shared by all that are attached there: it holds the segments
 * that this thread appends to.
 */
export class SharedStore {
  readonly memory: SharedMemory;
  readonly time: SharedTime;
  readonly segments: Segments;
  readonly index: SharedIndex;
  readonly tally: Tally;
  /** The value that was found last; valid until the next call. */
  found: Uint8Array = new Uint8Array(4_096);
  foundLength = 0;
  foundCodec = 0;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #bytes: Uint8Array<SharedArrayBuffer>;
  readonly #secret: number;
  readonly #sought: Sought = { hash: 0, length: 0, bytes: new Uint8Array(LONGEST_KEY + 4) };
  readonly #records: Records;
  readonly #appender: Appender;
  readonly #sweep: SegmentSweep;
  /** A word of this thread's own: an atomic addition to it keeps reads in their order. */
  readonly #fence = new Int32Array(new SharedArrayBuffer(4));
  #hits = 0;
  #misses = 0;

  constructor(buffer: SharedArrayBuffer, layout: Layout, clock: Clock | undefined) {
    this.memory = new SharedMemory(buffer, layout);
    this.time = new SharedTime(this.memory, clock);
    this.segments = new Segments(this.memory, this.time);
    this.#words = this.memory.words;
    this.#bytes = this.memory.bytes;
    this.#secret = this.#words[SECRET]!;
    const { memory, time, segments } = this;
    const tally = this.tally = new Tally(memory);
    const records = this.#records = new Records(memory);
    const index = this.index = new SharedIndex(memory, records, tally);
    const supply = new Supply(memory, time, segments, tally);
    const merger = new Merger(memory, time, { segments, supply, tally, records, index });
    this.#appender = new Appender(segments, supply, merger);
    this.#sweep = new SegmentSweep(memory, time, segments, tally);
  }

  /** The most bytes that a key and its value may have together. */
  get room(): number {
    return (this.segments.units << UNIT_SHIFT) - RECORD_BYTES;
  }

  /** Makes this the key of what comes next. Returns its length, or -1 if it is too long. */
  seek(key: string | Uint8Array): number {
    const sought = this.#sought;
    sought.length = writeKey(key, sought.bytes);
    sought.hash = hashBytes(sought.bytes, sought.length, this.#secret);
    return sought.length;
  }

  get hash(): number {
    return this.#sought.hash;
  }

  /** Looks the key up, and copies its value to `found`. */
  get(): boolean {
    const isThere = this.#look(true);
    if (isThere) this.#hits++;
    else this.#misses++;
    if (this.#hits + this.#misses >= FLUSH) this.flush();
    return isThere;
  }

  has(): boolean {
    return this.#look(false);
  }

  #look(copy: boolean): boolean {
    const words = this.#words;
    let slot = this.index.find(this.#sought);
    for (let turn = 0; slot >= 0 && turn < 16; turn++) {
      const address = Atomics.load(words, slot);
      const meta = address === 0 ? 0 : this.#records.match(address, this.#sought);
      if (meta !== 0) {
        const at = address * 4;
        if (this.time.isPast(words[at + RECORD_EXPIRY]!)) return false;
        if (copy) this.#copy(at);
        // Whatever was read above is of the record only if its segment is still in the same epoch.
        Atomics.add(this.#fence, 0, 1);
        const after = Atomics.load(words, this.#records.metaWord(address));
        if (epochOf(after) === epochOf(meta)) {
          if (copy) this.index.touch(slot);
          return true;
        }
      }
      // Somebody replaced the value meanwhile: the new one may be in the same slot.
      slot = this.index.find(this.#sought);
    }
    return false;
  }

  #copy(at: number): void {
    const start = (at + RECORD_WORDS) * 4 + this.#sought.length;
    const length = Math.max(0, Math.min(this.#words[at + VALUE]!, this.room));
    if (length > this.found.length) this.found = new Uint8Array(2 ** Math.ceil(Math.log2(length)));
    this.foundLength = length;
    this.foundCodec = this.#words[at + KEY]! >>> KEY_BITS;
    if (length > 48) {
      this.found.set(this.#bytes.subarray(start, start + length));
      return;
    }
    for (let i = 0; i < length; i++) this.found[i] = this.#bytes[start + i]!;
  }

  /** Stores a value under the key. */
  set(value: Uint8Array, length: number, codec: number, ttl: number): void {
    const expiry = this.time.expiryAfter(ttl);
    const units = unitsOf(this.#sought.length + length);
    const open = this.#appender.begin(units, ttl, expiry);
    if (open === undefined) {
      // All segments are in the hands of others this instant. The value before must not stay.
      this.delete();
      this.count(DROPS, 1);
      return;
    }
    const address = this.segments.addressIn(open, units);
    this.#write(address, open, expiry, value, length, codec);
    // Before the index knows of it, as others may take it out of the index at once.
    this.tally.add(open.segment, open.meta, 1, units);
    if (!this.#publish(address, open)) {
      this.tally.add(open.segment, open.meta, -1, -units);
      this.count(DROPS, 1);
    }
    this.segments.end(open);
  }

  #write(
    address: number,
    open: OpenSegment,
    expiry: number,
    value: Uint8Array,
    length: number,
    codec: number,
  ): void {
    const words = this.#words;
    const bytes = this.#bytes;
    const { hash, length: keyLength, bytes: key } = this.#sought;
    const at = address * 4;
    words[at + HASH] = hash;
    words[at + RECORD_EXPIRY] = expiry;
    words[at + KEY] = codec << KEY_BITS | keyLength;
    words[at + VALUE] = length;
    let byte = (at + RECORD_WORDS) * 4;
    if (keyLength > 48) bytes.set(key.subarray(0, keyLength), byte);
    else for (let i = 0; i < keyLength; i++) bytes[byte + i] = key[i]!;
    byte += keyLength;
    if (length > 48) bytes.set(value.subarray(0, length), byte);
    else for (let i = 0; i < length; i++) bytes[byte + i] = value[i]!;
    // Last, and after all that it vouches for: a slot that was left over from an earlier epoch may lead
    // others here already.
    const seal = sealOf(this.#secret, address, epochOf(open.meta), open.generation);
    Atomics.store(words, at + SEAL, seal);
  }

  /** Lets the index lead to the record, and to no other one of the same key. */
  #publish(address: number, open: OpenSegment): boolean {
    const words = this.#words;
    const { index } = this;
    const sought = this.#sought;
    for (let turn = 0; turn < TURNS; turn++) {
      const slot = index.find(sought);
      if (slot >= 0) {
        const before = Atomics.load(words, slot);
        if (before === 0 || this.#records.match(before, sought) === 0) continue;
        if (!index.put(slot, before, address, sought.hash, open.meta)) continue;
        if (index.mayHaveTwin(sought.hash, slot)) this.#clearTwins(slot);
        return true;
      }
      const room = index.room(sought.hash);
      const before = Atomics.load(words, room);
      const evicts = before !== 0 && index.ownMeta(room, before) !== 0 &&
        !this.time.isPast(words[before * 4 + RECORD_EXPIRY]!);
      if (!index.put(room, before, address, sought.hash, open.meta)) continue;
      index.forgetReads(room);
      if (evicts) this.count(EVICTIONS, 1);
      // Somebody else may have found no slot of the key at the same time, and taken another one.
      if (index.mayHaveTwin(sought.hash, room)) this.#clearTwins(index.find(sought));
      return true;
    }
    return false;
  }

  /** Clears all slots of the key behind the first one. Two who do so at once agree on which one stays. */
  #clearTwins(first: number): void {
    const words = this.#words;
    if (first < 0) return;
    for (let turn = 0; turn < 16; turn++) {
      const twin = this.index.find(this.#sought, first);
      if (twin < 0) break;
      const other = Atomics.load(words, twin);
      if (other === 0 || this.#records.match(other, this.#sought) === 0) continue;
      // A slot that was left over may lead to the same record by chance. It was counted once.
      this.index.put(twin, other, 0, 0, 0, other !== Atomics.load(words, first));
    }
  }

  delete(): boolean {
    let wasThere = false;
    let last = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const slot = this.index.find(this.#sought);
      if (slot < 0) break;
      const address = Atomics.load(this.#words, slot);
      if (address === 0 || this.#records.match(address, this.#sought) === 0) continue;
      const expiry = this.#words[address * 4 + RECORD_EXPIRY]!;
      if (!this.index.put(slot, address, 0, 0, 0, address !== last)) continue;
      if (!this.time.isPast(expiry)) wasThere = true;
      last = address;
    }
    return wasThere;
  }

  clear(): void {
    // From here on, no seal of before holds.
    Atomics.add(this.#words, GENERATION, 1);
    this.segments.freeAll();
    this.#appender.forget();
  }

  sweep(): number {
    const released = this.#sweep.sweep();
    const { index } = this;
    const slice = Math.min(SCRUB_SLICE, index.buckets);
    const start = Atomics.add(this.#words, SCRUB_CURSOR, slice) >>> 0;
    for (let i = 0; i < slice; i++) index.scrub(start + i & index.buckets - 1);
    this.count(SWEEPS, 1);
    return released;
  }

  size(): number {
    let size = 0;
    for (let segment = 0; segment < this.segments.count; segment++) {
      const word = this.memory.header(segment);
      // Also when nobody has swept, nothing counts whose segment has expired as a whole.
      if (!this.time.isPast(this.#words[word + EXPIRY]!)) size += this.tally.live(segment);
    }
    return size;
  }

  count(counter: number, by: number): void {
    if (by > 0) Atomics.add(this.memory.counters, counter, BigInt(by));
  }

  /** Tells all threads of the hits and misses in this one. */
  flush(): void {
    this.count(HITS, this.#hits);
    this.count(MISSES, this.#misses);
    this.#hits = this.#misses = 0;
  }

  /** Appends no more to the segments of this thread. */
  release(): void {
    this.#appender.release();
    this.flush();
  }
}
