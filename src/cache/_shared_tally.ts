import {
  GENERATION,
  LIVE,
  LIVE_UNITS,
  META,
  SEGMENT_GENERATION,
  type SharedMemory,
} from "./_shared_layout.ts";
import { epochOf, isAlive } from "./_shared_state.ts";

/** How many records of each segment the index knows. */
export class Tally {
  readonly #memory: SharedMemory;
  readonly #words: Int32Array;

  constructor(memory: SharedMemory) {
    this.#memory = memory;
    this.#words = memory.words;
  }

  /** Counts records of a segment, as long as it is in the epoch of `meta`. */
  add(segment: number, meta: number, records: number, units: number): void {
    const header = this.#memory.header(segment);
    const epoch = epochOf(meta) & 0xffff;
    this.#add(header + LIVE, epoch, records);
    this.#add(header + LIVE_UNITS, epoch, units);
    // The segment may have been freed before; then the counts of a dead epoch stay, and mean nothing.
  }

  #add(word: number, epoch: number, by: number): void {
    const words = this.#words;
    for (let attempt = 0; attempt < 1000; attempt++) {
      const before = words[word]!;
      let value = before & 0xffff;
      if (before >>> 16 !== epoch) {
        // A count of an earlier epoch is none. One of a later epoch is not ours to change.
        if ((epoch - (before >>> 16) & 0xffff) > 0x7fff) return;
        value = 0;
      }
      const after = epoch << 16 | Math.min(0xffff, Math.max(0, value + by));
      if (Atomics.compareExchange(words, word, before, after) === before) return;
    }
  }

  /** How many records of a segment the index knows, or how many units they take. */
  live(segment: number, word: typeof LIVE | typeof LIVE_UNITS = LIVE): number {
    const words = this.#words;
    const header = this.#memory.header(segment);
    const meta = words[header + META]!;
    if (!isAlive(meta) || words[header + SEGMENT_GENERATION] !== words[GENERATION]) return 0;
    const value = words[header + word]!;
    return value >>> 16 === (epochOf(meta) & 0xffff) ? value & 0xffff : 0;
  }
}
