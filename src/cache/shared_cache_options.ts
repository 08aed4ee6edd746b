import type { Clock } from "../base/clock.ts";
import type { Duration } from "../base/duration.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

/**
 * What the values of a {@linkcode SharedCache} are. `"json"`: whatever `JSON.stringify` keeps.
 * `"string"`: any string, as it is. `"bytes"`: `Uint8Array`. You get copies in any case.
 */
export type SharedCodec = "json" | "string" | "bytes";

/** How to make a {@linkcode SharedCache}. */
export interface SharedCacheOptions {
  /** The owner: when it aborts, the cache closes, and its sweeper is gone before `finished` resolves. */
  signal: AbortSignal;
  /**
   * The most memory that it takes, in bytes, index and all: from 64 KiB to 8 GiB. It is reserved at once
   * and costs nothing until it is used; what was used once is not given back to the system.
   */
  maxBytes: number;
  /** How long an entry lives if `set()` does not say otherwise; `Infinity` is allowed. */
  ttl: Duration;
  /** What the values are. Default: `"json"`. */
  codec?: SharedCodec;
  /**
   * What a key and its value take together on average, in bytes. The size of the index follows from it:
   * if entries are much smaller, some are evicted before the memory is full. Default: 64.
   */
  entryBytes?: number;
  /**
   * The size of a segment in bytes, a power of two from 4 KiB to 256 KiB. No entry can be larger, and
   * when the memory is full, room is made by the segment. Default: about a 64th of `maxBytes`.
   */
  segmentBytes?: number;
  /** Where the sweeper runs, as a task in a worker. Default: a scheduler of the cache's own. */
  scheduler?: Scheduler;
  /** The time between two sweeps. `Infinity`: only when `sweep()` is called. Default: 1 second. */
  sweepInterval?: Duration;
  /** The time. Default: the computer's. Threads that attach follow it as far as this one tells it. */
  clock?: Clock;
}

/** How to attach to a {@linkcode SharedCache}. */
export interface SharedAttachOptions {
  /** The owner: when it aborts, this thread's part of the cache closes, and nobody else's. */
  signal: AbortSignal;
}

/** What `set()` may be told of one entry. */
export interface SharedSetOptions {
  /** How long the entry lives; `Infinity` is allowed. Default: the cache's `ttl`. */
  ttl?: Duration;
}

/** How {@linkcode SharedCache.getOrLoad} loads. */
export interface SharedLoadOptions extends SharedSetOptions {
  /**
   * How long one loader may keep all others waiting, at most 30 minutes. After that the next one loads
   * as well: the first may have died. Default: 30 seconds.
   */
  lease?: Duration;
  /** Ends this call's waiting. The load goes on, for others and for the cache. */
  signal?: AbortSignal;
}

/** What a load of {@linkcode SharedCache.getOrLoad} is given. */
export interface SharedLoadContext {
  /** Aborted when the cache closes in this thread, and not when a caller goes. */
  readonly signal: AbortSignal;
}

/** What is known of a {@linkcode SharedCache}, all threads together. */
export interface SharedCacheStats {
  /** Lookups that found an entry. Those of other threads may be missing up to 256 each. */
  readonly hits: number;
  /** Lookups that found none. */
  readonly misses: number;
  /** Entries that had to go before their time, for lack of room: those that nobody had read of late. */
  readonly evictions: number;
  /** Entries that sweeps released because they had expired. */
  readonly expirations: number;
  /** Values that were not stored, because all segments were in use by others at that instant. */
  readonly drops: number;
  /** Sweeps so far. */
  readonly sweeps: number;
  /** Entries that have not been released. */
  readonly size: number;
  /** Segments by what they are. */
  readonly segments: {
    /** There is nothing in them. */
    readonly free: number;
    /** A thread appends to them, or makes room of them. */
    readonly open: number;
    /** They are full. */
    readonly sealed: number;
  };
  /** The memory of the segments. */
  readonly bytes: {
    /** In entries that can be found. */
    readonly live: number;
    /** In entries that were replaced, deleted or evicted; it comes back with their segments. */
    readonly dead: number;
    /** Not written to. */
    readonly free: number;
    /** The whole buffer, index and all. */
    readonly total: number;
  };
}
