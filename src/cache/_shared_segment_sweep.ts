import {
  EXPIRATIONS,
  EXPIRY,
  GENERATION,
  META,
  SEGMENT_GENERATION,
  type SharedMemory,
  SIGHTED,
  SIGHTED_AT,
  SIGHTED_FOR,
  USED,
} from "./_shared_layout.ts";
import type { Segments } from "./_shared_segments.ts";
import { CLAIMED, EXPIRING, FREE, MERGING, OPEN, STATE_MASK, WRITING } from "./_shared_state.ts";
import type { Tally } from "./_shared_tally.ts";
import { NEVER, type SharedTime, TICK } from "./_shared_time.ts";

/** A write takes microseconds. Whoever is at it for so many ticks is dead: 60 s. */
const DEAD = 60_000 / TICK;
/**
 * No more of them count between two sweeps: 10 s. When the whole process was stopped for a while, that
 * does not make a writer dead.
 */
const MOST_AT_ONCE = 10_000 / TICK;

/** Frees segments whose time is over. Its cost grows with the segments, not with what is in them. */
export class SegmentSweep {
  readonly #memory: SharedMemory;
  readonly #words: Int32Array;
  readonly #time: SharedTime;
  readonly #segments: Segments;
  readonly #tally: Tally;

  constructor(memory: SharedMemory, time: SharedTime, segments: Segments, tally: Tally) {
    this.#memory = memory;
    this.#words = memory.words;
    this.#time = time;
    this.#segments = segments;
    this.#tally = tally;
  }

  /** Frees what has expired as a whole, and what its dead owner left behind. Returns how many records. */
  sweep(): number {
    const words = this.#words;
    const now = this.#time.now();
    let released = 0;
    for (let segment = 0; segment < this.#segments.count; segment++) {
      const header = this.#memory.header(segment);
      const meta = words[header + META]!;
      const state = meta & STATE_MASK;
      if (state === FREE) continue;
      if (state === CLAIMED || state === WRITING || state === MERGING) {
        if (!this.#isAbandoned(header, meta, now)) continue;
      } else if (words[header + SEGMENT_GENERATION] === words[GENERATION]) {
        const expiry = words[header + EXPIRY]!;
        if (expiry === NEVER || expiry > now) {
          if (state === EXPIRING) this.#reopen(segment, meta);
          continue;
        }
      }
      const live = this.#tally.live(segment);
      if (
        state === OPEN || state === EXPIRING
          ? this.#expireOpen(segment, meta, now)
          : this.#segments.free(segment, meta)
      ) {
        released += live;
      }
    }
    this.#memory.count(EXPIRATIONS, released);
    return released;
  }

  /** The owner may append, and so put off the end, between a look at the expiry and the freeing. */
  #expireOpen(segment: number, meta: number, now: number): boolean {
    const words = this.#words;
    const header = this.#memory.header(segment);
    const expiring = meta & ~STATE_MASK | EXPIRING;
    if (!this.#segments.change(segment, meta, expiring)) return false;
    const isOld = words[header + SEGMENT_GENERATION] !== words[GENERATION];
    if (isOld || Atomics.load(words, header + EXPIRY) <= now) {
      return this.#segments.free(segment, expiring);
    }
    this.#reopen(segment, expiring);
    return false;
  }

  #reopen(segment: number, expiring: number): void {
    this.#segments.change(segment, expiring, expiring & ~STATE_MASK | OPEN);
  }

  /** Whether the same work has been going on for so long that whoever began it must be dead. */
  #isAbandoned(header: number, meta: number, now: number): boolean {
    const words = this.#words;
    const sight = Math.imul(meta, 0x9e3779b1) ^ words[header + USED]!;
    if (words[header + SIGHTED] !== sight) {
      words[header + SIGHTED] = sight;
      words[header + SIGHTED_FOR] = 0;
    } else {
      const since = Math.min(MOST_AT_ONCE, Math.max(0, now - words[header + SIGHTED_AT]!));
      words[header + SIGHTED_FOR]! += since;
    }
    words[header + SIGHTED_AT] = now;
    return words[header + SIGHTED_FOR]! >= DEAD;
  }
}
