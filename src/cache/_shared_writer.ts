import type { Appender } from "./_shared_appender.ts";
import {
  DROPS,
  EVICTIONS,
  RECORD_WORDS,
  SECRET,
  type SharedMemory,
  UNIT_WORDS,
} from "./_shared_layout.ts";
import type { SharedIndex } from "./_shared_index.ts";
import type { SharedParts } from "./_shared_parts.ts";
import {
  addressOf,
  HASH,
  KEY,
  KEY_BITS,
  RECORD_EXPIRY,
  refOf,
  SEAL,
  type Sought,
  unitsOf,
  VALUE,
} from "./_shared_records.ts";
import type { Segments } from "./_shared_segments.ts";
import { epochOf, type OpenSegment } from "./_shared_state.ts";
import type { Tally } from "./_shared_tally.ts";
import { sealOf } from "./_shared_text.ts";
import type { SharedTime } from "./_shared_time.ts";

/** Others may change the same bucket. More turns than this mean that the buffer is broken. */
const TURNS = 1_000;

/** Writes and deletes entries. */
export class SharedWriter {
  readonly #memory: SharedMemory;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #bytes: Uint8Array<SharedArrayBuffer>;
  readonly #secret: number;
  readonly #time: SharedTime;
  readonly #segments: Segments;
  readonly #tally: Tally;
  readonly #index: SharedIndex;
  readonly #appender: Appender;

  constructor({ memory, time, segments, tally, index }: SharedParts, appender: Appender) {
    this.#memory = memory;
    this.#words = memory.words;
    this.#bytes = memory.bytes;
    this.#secret = memory.words[SECRET]!;
    this.#time = time;
    this.#segments = segments;
    this.#tally = tally;
    this.#index = index;
    this.#appender = appender;
  }

  /** Stores a value under the key. */
  set(sought: Sought, value: Uint8Array, length: number, codec: number, ttl: number): void {
    const expiry = this.#time.expiryAfter(ttl);
    const units = unitsOf(sought.length + length);
    const open = this.#appender.begin(units, ttl, expiry);
    if (open === undefined) {
      // All segments are in the hands of others this instant. The value before must not stay.
      this.delete(sought);
      this.#memory.count(DROPS, 1);
      return;
    }
    const address = this.#segments.addressIn(open, units);
    const ref = refOf(address, open.meta);
    this.#index.prepare(sought.hash, ref);
    this.#write(sought, address, open, expiry, value, length, codec);
    // Before the index knows of it, as others may take it out of the index at once.
    this.#tally.add(open.segment, open.meta, 1, units);
    if (!this.#publish(sought, ref)) {
      this.#tally.add(open.segment, open.meta, -1, -units);
      this.#memory.count(DROPS, 1);
    }
    this.#segments.end(open);
  }

  #write(
    sought: Sought,
    address: number,
    open: OpenSegment,
    expiry: number,
    value: Uint8Array,
    length: number,
    codec: number,
  ): void {
    const words = this.#words;
    const bytes = this.#bytes;
    const { hash, length: keyLength, bytes: key } = sought;
    const at = address * UNIT_WORDS;
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
  #publish(sought: Sought, ref: number): boolean {
    const words = this.#words;
    const index = this.#index;
    for (let turn = 0; turn < TURNS; turn++) {
      const slot = index.find(sought);
      if (slot >= 0) {
        if (!index.put(slot, index.ref, ref, sought.hash)) continue;
        if (index.mayHaveTwin(sought.hash, slot)) this.#clearTwins(sought, slot);
        return true;
      }
      const room = index.room(sought.hash);
      const before = Atomics.load(words, room);
      const evicts = before !== 0 && index.ownMeta(room, before) !== 0 &&
        !this.#time.isPast(words[addressOf(before) * UNIT_WORDS + RECORD_EXPIRY]!);
      if (!index.put(room, before, ref, sought.hash)) continue;
      index.reads.forget(room);
      if (evicts) this.#memory.count(EVICTIONS, 1);
      // Somebody else may have found no slot of the key at the same time, and taken another one.
      if (index.mayHaveTwin(sought.hash, room)) this.#clearTwins(sought, index.find(sought));
      return true;
    }
    return false;
  }

  /** Clears all slots of the key behind the first one. Two who do so at once agree on which one stays. */
  #clearTwins(sought: Sought, first: number): void {
    if (first < 0) return;
    for (let turn = 0; turn < 16; turn++) {
      const twin = this.#index.find(sought, first);
      if (twin < 0) break;
      this.#index.put(twin, this.#index.ref, 0, 0);
    }
  }

  delete(sought: Sought): boolean {
    let wasThere = false;
    for (let turn = 0; turn < TURNS; turn++) {
      const slot = this.#index.find(sought);
      if (slot < 0) break;
      const { ref } = this.#index;
      const expiry = this.#words[addressOf(ref) * UNIT_WORDS + RECORD_EXPIRY]!;
      if (!this.#index.put(slot, ref, 0, 0)) continue;
      if (!this.#time.isPast(expiry)) wasThere = true;
    }
    return wasThere;
  }
}
