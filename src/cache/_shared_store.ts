import type { Clock } from "../base/clock.ts";
import { Appender } from "./_shared_appender.ts";
import { EXPIRY, GENERATION, type Layout, SCRUB_CURSOR, SECRET, SWEEPS } from "./_shared_layout.ts";
import { type Lease, Leases } from "./_shared_leases.ts";
import { Merger } from "./_shared_merger.ts";
import { SharedParts } from "./_shared_parts.ts";
import { SharedReader } from "./_shared_reader.ts";
import type { Sought } from "./_shared_records.ts";
import { SegmentSweep } from "./_shared_segment_sweep.ts";
import { hashBytes, LONGEST_KEY, writeKey } from "./_shared_text.ts";
import { SharedWriter } from "./_shared_writer.ts";

/**
 * Buckets that a sweep scrubs. It is no hurry: an insert finds the dead slots of its own buckets by
 * itself, and no dead slot leads to anything wrong.
 */
const SCRUB_SLICE = 256;

/**
 * The cache as bytes. One in each thread, shared by all that are attached there: it holds the segments
 * that this thread appends to.
 */
export class SharedStore extends SharedParts {
  /** Who loads what. */
  readonly leases: Leases;
  readonly #secret: number;
  readonly #sought: Sought = { hash: 0, length: 0, bytes: new Uint8Array(LONGEST_KEY + 4) };
  readonly #reader: SharedReader;
  readonly #writer: SharedWriter;
  readonly #appender: Appender;
  readonly #sweep: SegmentSweep;

  constructor(buffer: SharedArrayBuffer, layout: Layout, clock: Clock | undefined) {
    super(buffer, layout, clock);
    const { memory, time, segments, tally, supply } = this;
    this.leases = new Leases(memory, time);
    this.#secret = memory.words[SECRET]!;
    this.#appender = new Appender(segments, supply, new Merger(this));
    this.#reader = new SharedReader(this);
    this.#writer = new SharedWriter(this, this.#appender);
    this.#sweep = new SegmentSweep(memory, time, segments, tally);
  }

  /** The value that was found last; valid until the next call. */
  get found(): Uint8Array {
    return this.#reader.found;
  }

  get foundLength(): number {
    return this.#reader.foundLength;
  }

  get foundCodec(): number {
    return this.#reader.foundCodec;
  }

  /** Makes this the key of what comes next. Returns its length, or -1 if it is too long. */
  seek(key: string | Uint8Array): number {
    const sought = this.#sought;
    sought.length = writeKey(key, sought.bytes);
    sought.hash = hashBytes(sought.bytes, sought.length, this.#secret);
    return sought.length;
  }

  get hash(): number {
    return this.#sought.hash;
  }

  /** Looks the key up, and copies its value to `found`. */
  get(): boolean {
    return this.#reader.get(this.#sought);
  }

  has(): boolean {
    return this.#reader.has(this.#sought);
  }

  /** Stores a value under the key. `lease`: the one under which it was loaded. */
  set(value: Uint8Array, length: number, codec: number, ttl: number, lease?: Lease): void {
    const { hash } = this.#sought;
    if (lease === undefined) this.leases.revoke(hash);
    this.#writer.set(this.#sought, value, length, codec, ttl);
    // Who has begun to load meanwhile may not have seen it.
    if (lease === undefined) this.leases.revoke(hash);
    // It was set or deleted meanwhile. Rather nothing than what is older.
    else if (!this.leases.isHeld(lease)) this.#writer.delete(this.#sought);
  }

  /** Forgets the key. Returns whether it was there. */
  delete(): boolean {
    this.leases.revoke(this.#sought.hash);
    return this.#writer.delete(this.#sought);
  }

  clear(): void {
    this.leases.revokeAll();
    // From here on, no seal of before holds.
    Atomics.add(this.memory.words, GENERATION, 1);
    this.segments.freeAll();
    this.#appender.forget();
  }

  sweep(): number {
    const released = this.#sweep.sweep();
    const { index } = this;
    const slice = Math.min(SCRUB_SLICE, index.buckets);
    const start = Atomics.add(this.memory.words, SCRUB_CURSOR, slice) >>> 0;
    for (let i = 0; i < slice; i++) index.scrub(start + i & index.buckets - 1);
    this.memory.count(SWEEPS, 1);
    return released;
  }

  size(): number {
    let size = 0;
    for (let segment = 0; segment < this.segments.count; segment++) {
      const word = this.memory.header(segment);
      // Also when nobody has swept, nothing counts whose segment has expired as a whole.
      if (!this.time.isPast(this.memory.words[word + EXPIRY]!)) size += this.tally.live(segment);
    }
    return size;
  }

  /** Tells all threads of the hits and misses in this one. */
  flush(): void {
    this.#reader.flush();
  }

  /** Appends no more to the segments of this thread. */
  release(): void {
    this.#appender.release();
    this.flush();
  }
}
