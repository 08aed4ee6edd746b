import {
  GENERATION,
  META,
  RECORD_BYTES,
  RECORD_WORDS,
  SECRET,
  SEGMENT_WORDS,
  type SharedMemory,
  UNIT_SHIFT,
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
export const KEY_MASK = 2 ** KEY_BITS - 1;

/** A key, as it is looked for. */
export interface Sought {
  hash: number;
  length: number;
  readonly bytes: Uint8Array;
}

/**
 * What stands at an address. Nothing of it is believed before the record's seal was looked at: the
 * address may be of an earlier epoch, and lead into the midst of other records.
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

  /** The units that a record takes. */
  unitsOf(address: number): number {
    const at = address * 4;
    return unitsOf((this.#words[at + KEY]! & KEY_MASK) + this.#words[at + VALUE]!);
  }
}

/** The units of a record whose key and value have so many bytes. */
export function unitsOf(bytes: number): number {
  return RECORD_BYTES + bytes + 15 >>> UNIT_SHIFT;
}
