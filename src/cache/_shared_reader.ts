import { HITS, MISSES, RECORD_WORDS, type SharedMemory, UNIT_WORDS } from "./_shared_layout.ts";
import { orderReads } from "./_shared_order.ts";
import type { SharedParts } from "./_shared_parts.ts";
import {
  addressOf,
  KEY,
  KEY_BITS,
  RECORD_EXPIRY,
  type Records,
  type Sought,
  VALUE,
} from "./_shared_records.ts";
import type { SharedIndex } from "./_shared_index.ts";
import { epochOf } from "./_shared_state.ts";
import type { SharedTime } from "./_shared_time.ts";

/** Hits and misses are counted here, and told to all others after so many. */
const FLUSH = 256;
/** Others may change the same entry. More turns than this mean that the buffer is broken. */
const TURNS = 16;

/** Reads entries. It never waits for anybody. */
export class SharedReader {
  /** The value that was found last; valid until the next call. */
  found: Uint8Array = new Uint8Array(4_096);
  foundLength = 0;
  foundCodec = 0;
  readonly #memory: SharedMemory;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #bytes: Uint8Array<SharedArrayBuffer>;
  readonly #time: SharedTime;
  readonly #records: Records;
  readonly #index: SharedIndex;
  readonly #room: number;
  #hits = 0;
  #misses = 0;

  constructor({ memory, time, records, index }: SharedParts) {
    this.#memory = memory;
    this.#words = memory.words;
    this.#bytes = memory.bytes;
    this.#time = time;
    this.#records = records;
    this.#index = index;
    this.#room = memory.room;
  }

  /** Looks a key up, and copies its value to `found`. */
  get(sought: Sought): boolean {
    const isThere = this.#look(sought, true);
    if (isThere) this.#hits++;
    else this.#misses++;
    if (this.#hits + this.#misses >= FLUSH) this.flush();
    return isThere;
  }

  has(sought: Sought): boolean {
    return this.#look(sought, false);
  }

  /** Tells all threads of the hits and misses in this one. */
  flush(): void {
    this.#memory.count(HITS, this.#hits);
    this.#memory.count(MISSES, this.#misses);
    this.#hits = this.#misses = 0;
  }

  #look(sought: Sought, copy: boolean): boolean {
    const words = this.#words;
    const index = this.#index;
    for (let turn = 0; turn < TURNS; turn++) {
      const slot = index.find(sought);
      if (slot < 0) return false;
      const { ref, meta } = index;
      const at = addressOf(ref) * UNIT_WORDS;
      if (this.#time.isPast(words[at + RECORD_EXPIRY]!)) return false;
      if (copy) this.#copy(at, sought.length);
      // Whatever was read above is of the record only if its segment is still in the same epoch. If not,
      // there may be a newer value, or the same elsewhere.
      orderReads();
      const after = Atomics.load(words, this.#records.metaWord(ref));
      if (epochOf(after) !== epochOf(meta)) continue;
      if (copy) index.reads.add(slot);
      return true;
    }
    return false;
  }

  #copy(at: number, keyLength: number): void {
    const start = (at + RECORD_WORDS) * 4 + keyLength;
    const length = Math.max(0, Math.min(this.#words[at + VALUE]!, this.#room));
    if (length > this.found.length) this.found = new Uint8Array(2 ** Math.ceil(Math.log2(length)));
    this.foundLength = length;
    this.foundCodec = this.#words[at + KEY]! >>> KEY_BITS;
    if (length > 48) {
      this.found.set(this.#bytes.subarray(start, start + length));
      return;
    }
    for (let i = 0; i < length; i++) this.found[i] = this.#bytes[start + i]!;
  }
}
