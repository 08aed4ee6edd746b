import {
  EVICTIONS,
  EXPIRATIONS,
  EXPIRY,
  GENERATION,
  META,
  OPENED,
  SEGMENT_GENERATION,
  type SharedMemory,
  TOUCHED,
} from "./_shared_layout.ts";
import type { Segments } from "./_shared_segments.ts";
import { FREE, OPEN, type OpenSegment, SEALED, STATE_MASK } from "./_shared_state.ts";
import type { Tally } from "./_shared_tally.ts";
import { type SharedTime, TICK } from "./_shared_time.ts";

/** An owner who writes nothing for so many ticks may be dead: 10 s. Its segment may be taken. */
const IDLE = 10_000 / TICK;
/** What the end of a segment is put off by in the choice of one to evict, when somebody needs it. */
const NEEDED = 2 ** 32;

/** A segment that may be evicted. */
export interface Victim {
  readonly segment: number;
  readonly meta: number;
  /** Whether it is worth nothing to anybody: it has expired, or is of before a `clear()`. */
  readonly isOver: boolean;
  /** Whether somebody may want to append to it. */
  readonly isNeeded: boolean;
}

/** Where segments to append to come from. */
export class Supply {
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

  /** Takes a free segment, or the one that may be missed soonest. `undefined`: all are in use now. */
  open(ttlClass: number, expiry: number): OpenSegment | undefined {
    for (let attempt = 0; attempt < 8; attempt++) {
      const free = this.#segments.claim(ttlClass, expiry);
      if (free !== undefined) return free;
      const victim = this.first();
      if (victim === undefined) return undefined;
      // When somebody is faster, that is as good.
      if (victim !== "free") this.evict(victim, victim.meta);
    }
    return undefined;
  }

  /**
   * The segment that expires first; of several, the one that was opened first.
   *
   * @returns `"free"`: none has to be evicted. `undefined`: all are in use now.
   */
  first(): Victim | "free" | undefined {
    const words = this.#words;
    const now = this.#time.seen;
    let first = -1;
    let meta = 0;
    let expiry = Infinity;
    let opened = 0;
    for (let segment = 0; segment < this.#segments.count; segment++) {
      const header = this.#memory.header(segment);
      const itsMeta = words[header + META]!;
      const state = itsMeta & STATE_MASK;
      if (state === FREE) return "free";
      if (state !== SEALED && state !== OPEN) continue;
      const itsOpened = words[header + OPENED]!;
      let itsExpiry: number = words[header + EXPIRY]!;
      if (words[header + SEGMENT_GENERATION] !== words[GENERATION]) itsExpiry = -1;
      // Somebody needs an open segment more than a sealed one, unless its owner seems to be gone.
      if (state === OPEN && itsExpiry > now && now - words[header + TOUCHED]! < IDLE) {
        itsExpiry += NEEDED;
      }
      // A difference, as the count of openings begins anew after 2^32 of them.
      if (itsExpiry > expiry || (itsExpiry === expiry && (itsOpened - opened | 0) >= 0)) continue;
      first = segment;
      meta = itsMeta;
      expiry = itsExpiry;
      opened = itsOpened;
    }
    if (first < 0) return undefined;
    return { segment: first, meta, isOver: expiry <= now, isNeeded: expiry >= NEEDED };
  }

  /** Frees the segment. `meta`: what it is now. */
  evict({ segment, isOver }: Victim, meta: number): void {
    const live = this.#tally.live(segment);
    if (!this.#segments.free(segment, meta)) return;
    this.#memory.count(isOver ? EXPIRATIONS : EVICTIONS, live);
  }
}
