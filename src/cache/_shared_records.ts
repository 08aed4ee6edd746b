import {
  GENERATION,
  META,
  RECORD_BYTES,
  RECORD_WORDS,
  SECRET,
  SEGMENT_WORDS,
  type SharedMemory,
  UNIT_SHIFT,
  UNIT_WORDS,
} from "./_shared_layout.ts";
import { epochOf, isAlive } from "./_shared_state.ts";
import { sealOf } from "./_shared_text.ts";

/** A record's header, in words. */
export const SEAL = 0;
export const HASH = 1;
export const RECORD_EXPIRY = 2;
/** The key's length in 17 bits, and the codec of the value. */
export const KEY = 3;
export const VALUE = 4;
export const KEY_BITS = 17;
const KEY_MASK = 2 ** KEY_BITS - 1;

/**
 * A slot of the index holds an address and the last bits of the epoch of its segment: so it is another
 * word when another record begins at the same address, and whoever compares it sees that.
 */
const ADDRESS_BITS = 29;
const ADDRESS_MASK = 2 ** ADDRESS_BITS - 1;

/** What leads to a record. `meta`: that of its segment. */
export function refOf(address: number, meta: number): number {
  return address | epochOf(meta) << ADDRESS_BITS;
}

export function addressOf(ref: number): number {
  return ref & ADDRESS_MASK;
}

/** A key, as it is looked for. */
export interface Sought {
  hash: number;
  length: number;
  readonly bytes: Uint8Array;
}

/**
 * What slots lead to. Nothing of it is believed before the record's seal was looked at: what a slot holds
 * may be of an earlier epoch, and lead into the midst of other records.
 */
export class Records {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #headers: number;
  readonly #arena: number;
  readonly #segmentShift: number;
  readonly #unitMask: number;
  readonly #segmentBytes: number;
  readonly #count: number;
  readonly #secret: number;

  constructor(memory: SharedMemory) {
    const { headers, arena, segmentShift, segments } = memory.layout;
    this.#words = memory.words;
    this.#bytes = memory.bytes;
    this.#headers = headers;
    this.#arena = arena;
    this.#segmentShift = segmentShift - UNIT_SHIFT;
    this.#unitMask = 2 ** this.#segmentShift - 1;
    this.#segmentBytes = 2 ** segmentShift;
    this.#count = segments;
    this.#secret = memory.words[SECRET]!;
  }

  segmentOf(ref: number): number {
    return addressOf(ref) - this.#arena >>> this.#segmentShift;
  }

  /** The word of the header of the record's segment that tells its epoch. `-1`: no such segment. */
  metaWord(ref: number): number {
    const segment = this.segmentOf(ref);
    return segment < this.#count ? this.#headers + segment * SEGMENT_WORDS + META : -1;
  }

  /** Whether the record's segment is still the one that it was in. */
  isInTime(ref: number): boolean {
    const word = this.metaWord(ref);
    if (word < 0) return false;
    const meta = this.#words[word]!;
    return isAlive(meta) && (epochOf(meta) << ADDRESS_BITS ^ ref & ~ADDRESS_MASK) === 0;
  }

  /** The epoch and state of the segment if there is a living record, else `0`. */
  metaOf(ref: number): number {
    if (!this.isInTime(ref)) return 0;
    const meta = this.#words[this.metaWord(ref)]!;
    const address = addressOf(ref);
    const seal = sealOf(this.#secret, address, epochOf(meta), this.#words[GENERATION]!);
    // Atomic, so that nothing of the record is read before its seal.
    return Atomics.load(this.#words, address * UNIT_WORDS + SEAL) === seal ? meta : 0;
  }

  /** As `metaOf`, for a record of this key only, whose lengths make sense. */
  match(ref: number, sought: Sought): number {
    const meta = this.metaOf(ref);
    if (meta === 0) return 0;
    const words = this.#words;
    const address = addressOf(ref);
    const at = address * UNIT_WORDS;
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

  /** The units that a record takes. */
  unitsOf(ref: number): number {
    const at = addressOf(ref) * UNIT_WORDS;
    return unitsOf((this.#words[at + KEY]! & KEY_MASK) + this.#words[at + VALUE]!);
  }
}

/** The units of a record whose key and value have so many bytes. */
export function unitsOf(bytes: number): number {
  return RECORD_BYTES + bytes + 15 >>> UNIT_SHIFT;
}
