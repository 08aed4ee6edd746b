import {
  EVICTIONS,
  EXPIRATIONS,
  EXPIRY,
  FREE_HINT,
  GENERATION,
  LIVE,
  LIVE_UNITS,
  META,
  OPENED,
  OPENINGS,
  SEGMENT_GENERATION,
  SEGMENT_WORDS,
  type SharedMemory,
  SIGHTED,
  SIGHTED_AT,
  TOUCHED,
  UNIT_SHIFT,
  USED,
} from "./_shared_layout.ts";
import {
  CLAIMED,
  EPOCH_MASK,
  epochOf,
  EXPIRING,
  FREE,
  isAlive,
  OPEN,
  type OpenSegment,
  SEALED,
  STATE_BITS,
  STATE_MASK,
  WRITING,
} from "./_shared_state.ts";
import { NEVER, type SharedTime, TICK } from "./_shared_time.ts";

/** An owner who writes nothing for so many ticks may be dead: 10 s. Its segment may be taken. */
const IDLE = 10_000 / TICK;
/** A write takes microseconds. Whoever is at it for so many ticks is dead: 60 s. */
const DEAD = 60_000 / TICK;

/** The segments: who may append to which, and which records are alive because their segment is. */
export class Segments {
  readonly count: number;
  readonly units: number;
  readonly #words: Int32Array;
  readonly #memory: SharedMemory;
  readonly #first: number;
  readonly #time: SharedTime;

  constructor(memory: SharedMemory, time: SharedTime) {
    const { segments, segmentShift, headers } = memory.layout;
    this.#memory = memory;
    this.#words = memory.words;
    this.#first = headers;
    this.#time = time;
    this.count = segments;
    this.units = 2 ** (segmentShift - UNIT_SHIFT);
  }

  header(segment: number): number {
    return this.#first + segment * SEGMENT_WORDS;
  }

  /** Takes a free segment, or the one that may be missed soonest. `undefined`: all are in use now. */
  open(ttlClass: number): OpenSegment | undefined {
    for (let attempt = 0; attempt < 8; attempt++) {
      const free = this.#claimFree(ttlClass);
      if (free !== undefined) return free;
      if (!this.#evictOne()) return undefined;
    }
    return undefined;
  }

  /** The owner begins to append. `false`: the segment is no longer its own. */
  begin(open: OpenSegment, units: number, expiry: number): boolean {
    const words = this.#words;
    const header = this.header(open.segment);
    if (open.generation !== words[GENERATION]) {
      this.#free(open.segment, open.meta);
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

  /** The owner has appended. */
  end(open: OpenSegment): void {
    const writing = open.meta & ~STATE_MASK | WRITING;
    Atomics.compareExchange(this.#words, this.header(open.segment) + META, writing, open.meta);
  }

  /** Nothing will be appended any more. */
  seal(open: OpenSegment): void {
    const sealed = open.meta & ~STATE_MASK | SEALED;
    Atomics.compareExchange(this.#words, this.header(open.segment) + META, open.meta, sealed);
  }

  /** Counts records of a segment, as long as it is in the epoch of `meta`. */
  tally(segment: number, meta: number, records: number, units: number): void {
    const header = this.header(segment);
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

  /** How many records of a segment the index knows. */
  live(segment: number, word: typeof LIVE | typeof LIVE_UNITS = LIVE): number {
    const header = this.header(segment);
    const meta = this.#words[header + META]!;
    if (!isAlive(meta) || this.#words[header + SEGMENT_GENERATION] !== this.#words[GENERATION]) {
      return 0;
    }
    const value = this.#words[header + word]!;
    return value >>> 16 === (epochOf(meta) & 0xffff) ? value & 0xffff : 0;
  }

  /** Frees all segments but those that somebody writes to now. */
  freeAll(): void {
    for (let segment = 0; segment < this.count; segment++) {
      const meta = this.#words[this.header(segment) + META]!;
      const state = meta & STATE_MASK;
      if (state === OPEN || state === SEALED) this.#free(segment, meta);
    }
  }

  /** Frees what has expired as a whole, and what its dead owner left behind. Returns how many records. */
  sweep(): number {
    const words = this.#words;
    const now = this.#time.now();
    let released = 0;
    for (let segment = 0; segment < this.count; segment++) {
      const header = this.header(segment);
      const meta = words[header + META]!;
      const state = meta & STATE_MASK;
      if (state === FREE) continue;
      if (state === CLAIMED || state === WRITING) {
        if (!this.#isAbandoned(header, meta, now)) continue;
      } else if (words[header + SEGMENT_GENERATION] === words[GENERATION]) {
        const expiry = words[header + EXPIRY]!;
        if (expiry === NEVER || expiry > now) {
          if (state === EXPIRING) this.#reopen(header, meta);
          continue;
        }
      }
      const live = this.live(segment);
      if (
        state === OPEN || state === EXPIRING
          ? this.#expireOpen(segment, meta, now)
          : this.#free(segment, meta)
      ) {
        released += live;
      }
    }
    if (released > 0) Atomics.add(this.#memory.counters, EXPIRATIONS, BigInt(released));
    return released;
  }

  /** The owner may append, and so put off the end, between a look at the expiry and the freeing. */
  #expireOpen(segment: number, meta: number, now: number): boolean {
    const words = this.#words;
    const header = this.header(segment);
    const expiring = meta & ~STATE_MASK | EXPIRING;
    if (Atomics.compareExchange(words, header + META, meta, expiring) !== meta) return false;
    const isOld = words[header + SEGMENT_GENERATION] !== words[GENERATION];
    if (isOld || Atomics.load(words, header + EXPIRY) <= now) return this.#free(segment, expiring);
    this.#reopen(header, expiring);
    return false;
  }

  #reopen(header: number, expiring: number): void {
    const open = expiring & ~STATE_MASK | OPEN;
    Atomics.compareExchange(this.#words, header + META, expiring, open);
  }

  /** Whether the same write has been going on for so long that whoever began it must be dead. */
  #isAbandoned(header: number, meta: number, now: number): boolean {
    const words = this.#words;
    const sight = Math.imul(meta, 0x9e3779b1) ^ words[header + USED]!;
    if (words[header + SIGHTED] !== sight) {
      words[header + SIGHTED] = sight;
      words[header + SIGHTED_AT] = now;
      return false;
    }
    const since = now - words[header + SIGHTED_AT]!;
    return since >= DEAD || since < 0;
  }

  #claimFree(ttlClass: number): OpenSegment | undefined {
    const words = this.#words;
    const start = words[FREE_HINT]! >>> 0;
    for (let i = 0; i < this.count; i++) {
      const segment = (start + i) % this.count;
      const header = this.header(segment);
      const meta = words[header + META]!;
      if ((meta & STATE_MASK) !== FREE) continue;
      const claimed = meta & ~STATE_MASK | CLAIMED;
      if (Atomics.compareExchange(words, header + META, meta, claimed) !== meta) continue;
      words[FREE_HINT] = segment + 1;
      words[header + USED] = 0;
      words[header + EXPIRY] = 0;
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

  /** Frees the segment that expires first; of several, the one that was opened first. */
  #evictOne(): boolean {
    const words = this.#words;
    const now = this.#time.seen;
    let best = -1;
    let bestMeta = 0;
    let bestExpiry = Infinity;
    let bestOpened = 0;
    for (let segment = 0; segment < this.count; segment++) {
      const header = this.header(segment);
      const meta = words[header + META]!;
      const state = meta & STATE_MASK;
      if (state === FREE) return true;
      if (state !== SEALED && state !== OPEN) continue;
      const opened = words[header + OPENED]!;
      let expiry: number = words[header + EXPIRY]!;
      if (words[header + SEGMENT_GENERATION] !== words[GENERATION]) expiry = -1;
      // Somebody needs an open segment more than a sealed one, unless its owner seems to be gone.
      if (state === OPEN && expiry > now && now - words[header + TOUCHED]! < IDLE) {
        expiry += 2 ** 32;
      }
      // A difference, as the count of openings begins anew after 2^32 of them.
      if (expiry > bestExpiry || (expiry === bestExpiry && (opened - bestOpened | 0) >= 0)) {
        continue;
      }
      best = segment;
      bestMeta = meta;
      bestExpiry = expiry;
      bestOpened = opened;
    }
    if (best < 0) return false;
    const live = this.live(best);
    const kind = bestExpiry <= now ? EXPIRATIONS : EVICTIONS;
    if (this.#free(best, bestMeta)) Atomics.add(this.#memory.counters, kind, BigInt(live));
    // Else somebody was faster, which is as good.
    return true;
  }

  /** All records of the segment are dead from here on: they carry the old epoch. */
  #free(segment: number, meta: number): boolean {
    const next = (epochOf(meta) + 1 & EPOCH_MASK) << STATE_BITS | FREE;
    return Atomics.compareExchange(this.#words, this.header(segment) + META, meta, next) === meta;
  }
}
