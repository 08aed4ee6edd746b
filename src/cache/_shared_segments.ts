import {
  EXPIRY,
  FREE_HINT,
  GENERATION,
  META,
  OPENED,
  OPENINGS,
  SEGMENT_GENERATION,
  type SharedMemory,
  TOUCHED,
  UNIT_SHIFT,
  USED,
} from "./_shared_layout.ts";
import {
  CLAIMED,
  EPOCH_MASK,
  epochOf,
  FREE,
  OPEN,
  type OpenSegment,
  SEALED,
  STATE_BITS,
  STATE_MASK,
  WRITING,
} from "./_shared_state.ts";
import type { SharedTime } from "./_shared_time.ts";

/** The segments: who may append to which. */
export class Segments {
  readonly count: number;
  /** The size of each. */
  readonly units: number;
  readonly #memory: SharedMemory;
  readonly #words: Int32Array;
  readonly #time: SharedTime;

  constructor(memory: SharedMemory, time: SharedTime) {
    const { segments, segmentShift } = memory.layout;
    this.#memory = memory;
    this.#words = memory.words;
    this.#time = time;
    this.count = segments;
    this.units = 2 ** (segmentShift - UNIT_SHIFT);
  }

  /**
   * Takes a free segment. `undefined`: there is none.
   *
   * @param expiry When what is to be written to it expires: nobody must take it for one that has expired.
   */
  claim(ttlClass: number, expiry: number): OpenSegment | undefined {
    const words = this.#words;
    const start = words[FREE_HINT]! >>> 0;
    for (let i = 0; i < this.count; i++) {
      const segment = (start + i) % this.count;
      const header = this.#memory.header(segment);
      const meta = words[header + META]!;
      if ((meta & STATE_MASK) !== FREE) continue;
      const claimed = meta & ~STATE_MASK | CLAIMED;
      if (Atomics.compareExchange(words, header + META, meta, claimed) !== meta) continue;
      words[FREE_HINT] = segment + 1;
      words[header + USED] = 0;
      words[header + EXPIRY] = expiry;
      words[header + TOUCHED] = this.#time.seen;
      words[header + OPENED] = Atomics.add(words, OPENINGS, 1);
      const generation = words[GENERATION]!;
      words[header + SEGMENT_GENERATION] = generation;
      const open = meta & ~STATE_MASK | OPEN;
      if (Atomics.compareExchange(words, header + META, claimed, open) !== claimed) continue;
      return { segment, meta: open, generation, ttlClass, used: 0 };
    }
    return undefined;
  }

  /** Whether its owner may still append to it. */
  isOwn({ segment, meta, generation }: OpenSegment): boolean {
    const words = this.#words;
    return words[this.#memory.header(segment) + META] === meta && generation === words[GENERATION];
  }

  /** The owner begins to append. `false`: the segment is no longer its own. */
  begin(open: OpenSegment, units: number, expiry: number): boolean {
    const words = this.#words;
    const header = this.#memory.header(open.segment);
    if (open.generation !== words[GENERATION]) {
      this.free(open.segment, open.meta);
      return false;
    }
    const writing = open.meta & ~STATE_MASK | WRITING;
    if (Atomics.compareExchange(words, header + META, open.meta, writing) !== open.meta) {
      return false;
    }
    open.used += units;
    words[header + USED] = open.used;
    words[header + TOUCHED] = this.#time.seen;
    if (expiry > words[header + EXPIRY]!) words[header + EXPIRY] = expiry;
    return true;
  }

  /** Where the record begins that was appended last. */
  addressIn(open: OpenSegment, units: number): number {
    return this.#memory.layout.arena + open.segment * this.units + open.used - units;
  }

  /** The owner has appended. */
  end(open: OpenSegment): void {
    this.change(open.segment, open.meta & ~STATE_MASK | WRITING, open.meta);
  }

  /** Nothing will be appended any more. */
  seal(open: OpenSegment): void {
    this.change(open.segment, open.meta, open.meta & ~STATE_MASK | SEALED);
  }

  /** All records of the segment are dead from here on: they carry the old epoch. */
  free(segment: number, meta: number): boolean {
    return this.change(segment, meta, (epochOf(meta) + 1 & EPOCH_MASK) << STATE_BITS | FREE);
  }

  /** Frees all segments but those that somebody is at now. */
  freeAll(): void {
    for (let segment = 0; segment < this.count; segment++) {
      const meta = this.#words[this.#memory.header(segment) + META]!;
      const state = meta & STATE_MASK;
      if (state === OPEN || state === SEALED) this.free(segment, meta);
    }
  }

  /** Changes the epoch and state of a segment. `false`: somebody else has changed it before. */
  change(segment: number, from: number, to: number): boolean {
    return Atomics.compareExchange(
      this.#words,
      this.#memory.header(segment) + META,
      from,
      to,
    ) === from;
  }
}
