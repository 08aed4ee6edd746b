/**
 * Where what is in the buffer of a SharedCache. All numbers are in the byte order of the machine: the
 * buffer never leaves its process.
 *
 * The buffer is: a header, the leases of loaders, a header for each segment, the index, the segments.
 * A buffer of zeros is an empty cache but for its header, so that pages that nobody used cost no memory.
 *
 * @module
 */

/** Words of the header. Those that are written often lie on cache lines of their own. */
export const MAGIC = 0;
export const VERSION = 2;
export const SEGMENT_SHIFT = 3;
export const SEGMENTS = 4;
export const BUCKETS = 5;
export const SECRET = 6;
export const ID = 7;
export const CODEC = 9;
export const CLOCK_KIND = 10;
/** A Float64: the default time to live, in milliseconds. */
export const TTL = 12;
/** A Float64: the moment of tick 0, in milliseconds since the epoch. */
export const BASE = 14;
/** Grows with each `clear()`: records of an older generation are dead. */
export const GENERATION = 16;
/** The latest tick that anybody saw. */
export const NOW = 32;
/** Where the next scrub and the next search for a free segment begin. */
export const SCRUB_CURSOR = 48;
export const FREE_HINT = 49;
/** How often a segment was opened. */
export const OPENINGS = 50;
/** 64-bit counters. */
const COUNTERS = 64;
export const HITS = 0;
export const MISSES = 1;
export const EVICTIONS = 2;
export const EXPIRATIONS = 3;
export const SWEEPS = 4;
export const DROPS = 5;
const COUNTER_COUNT = 8;

export const LEASES = 96;
export const LEASE_COUNT = 1024;

/** Words of a segment's header. */
export const SEGMENT_WORDS = 16;
/** Epoch and state in one word: what decides whether anything in the segment is alive. */
export const META = 0;
/** The latest expiry of any record in it. */
export const EXPIRY = 1;
/** How many units are taken. Only its owner writes it. */
export const USED = 2;
/** 16 bits of the epoch, and the number of records that the index knows. */
export const LIVE = 3;
/** 16 bits of the epoch, and the units of those records. */
export const LIVE_UNITS = 4;
/** Which one it was to be opened. */
export const OPENED = 5;
/** When its owner wrote to it last. */
export const TOUCHED = 6;
export const SEGMENT_GENERATION = 7;
/** What a sweep saw of a segment in somebody's hands, when, and for how long: see `SegmentSweep`. */
export const SIGHTED = 8;
export const SIGHTED_AT = 9;
export const SIGHTED_FOR = 10;

/** A bucket is a cache line: 8 slots, then 8 tags of 16 bits, then 8 counts of reads in a byte each. */
export const BUCKET_WORDS = 16;
export const WAYS = 8;
/** The first word of the counts. */
export const READS = 12;

/** Records lie at multiples of so many bytes; their addresses count from the start of the buffer. */
export const UNIT_SHIFT = 4;
export const UNIT_WORDS = 4;
/** Of a record's header: seal, hash, expiry, key length and codec, value length. */
export const RECORD_WORDS = 5;
export const RECORD_BYTES = RECORD_WORDS * 4;

export const MAGIC_WORDS: readonly [number, number] = [0x4c656173, 0x68534331];
export const LAYOUT_VERSION = 1;

/** The parts of a buffer. */
export interface Layout {
  /** Log2 of the bytes of a segment. */
  readonly segmentShift: number;
  readonly segments: number;
  /** A power of two. */
  readonly buckets: number;
  /** First word of the segments' headers. */
  readonly headers: number;
  /** First word of the index. */
  readonly index: number;
  /** Address of the first segment. */
  readonly arena: number;
  readonly byteLength: number;
}

/** The layout of so many segments and buckets. */
export function layoutOf(segmentShift: number, segments: number, buckets: number): Layout {
  const headers = LEASES + LEASE_COUNT;
  const index = headers + segments * SEGMENT_WORDS;
  const arena = (index + buckets * BUCKET_WORDS) / 4;
  const byteLength = arena * 16 + segments * 2 ** segmentShift;
  return { segmentShift, segments, buckets, headers, index, arena, byteLength };
}

/** The least and the greatest size of a segment, as log2. */
const SMALLEST = 12;
const GREATEST = 18;
/** Fewer segments make evictions coarse: the whole cache would go in a few steps. */
const ENOUGH_SEGMENTS = 64;

/** The least `maxBytes`, and the greatest: addresses have 29 bits. */
export const LEAST_BYTES = 64 * 1024;
export const MOST_BYTES = 8 * 2 ** 30;

/**
 * Shares out `maxBytes`.
 *
 * @param entryBytes What a key and its value take on average.
 * @param segmentShift Log2 of the bytes of a segment; `undefined`: as fits.
 */
export function planLayout(
  maxBytes: number,
  entryBytes: number,
  segmentShift: number = fittingShift(maxBytes),
): Layout {
  const fixed = (LEASES + LEASE_COUNT) * 4;
  // The index is half full when the memory is: fuller buckets overflow too often.
  const entries = maxBytes / (entryBytes + RECORD_BYTES + 8);
  const buckets = 2 ** Math.max(1, Math.round(Math.log2(entries * 2 / WAYS)));
  const left = maxBytes - fixed - buckets * BUCKET_WORDS * 4;
  const segments = Math.floor(left / (2 ** segmentShift + SEGMENT_WORDS * 4));
  return layoutOf(segmentShift, segments, buckets);
}

function fittingShift(maxBytes: number): number {
  const shift = Math.floor(Math.log2(maxBytes / ENOUGH_SEGMENTS));
  return Math.min(GREATEST, Math.max(SMALLEST, shift));
}

/** The views of a buffer, and its parts. */
export class SharedMemory {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly halves: Uint16Array<SharedArrayBuffer>;
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly counters: BigInt64Array<SharedArrayBuffer>;
  readonly floats: Float64Array<SharedArrayBuffer>;
  /** The most bytes that a key and its value may have together. */
  readonly room: number;

  constructor(readonly buffer: SharedArrayBuffer, readonly layout: Layout) {
    // Views with a length of their own: those that follow the buffer's length are 25 times slower.
    const { byteLength } = layout;
    this.words = new Int32Array(buffer, 0, byteLength / 4);
    this.halves = new Uint16Array(buffer, 0, byteLength / 2);
    this.bytes = new Uint8Array(buffer, 0, byteLength);
    this.counters = new BigInt64Array(buffer, COUNTERS * 4, COUNTER_COUNT);
    this.floats = new Float64Array(buffer, 0, LEASES / 2);
    this.room = 2 ** layout.segmentShift - RECORD_BYTES;
  }

  /** Adds to one of the counters. */
  count(counter: number, by: number): void {
    if (by > 0) Atomics.add(this.counters, counter, BigInt(by));
  }

  /** The first word of a segment's header. */
  header(segment: number): number {
    return this.layout.headers + segment * SEGMENT_WORDS;
  }
}
