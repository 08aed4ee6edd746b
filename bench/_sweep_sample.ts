/** What a cache costs while nothing expires. */
export interface Life {
  /** Nanoseconds of this thread for an entry that is new, one that is read, and one that is set again. */
  readonly set: number;
  readonly get: number;
  readonly overwrite: number;
  /** Bytes for each entry with its key and value, after a garbage collection: on V8's heap, with
   * the buffers beside it, and of the process. */
  readonly heap: number;
  readonly memory: number;
  readonly rss: number;
  /** A major garbage collection with all entries alive, in milliseconds. */
  readonly gc: number;
  /** Entries that the cache has lost while it was filled, in a million. */
  readonly lost: number;
  /** The longest time for which this thread is busy when nothing is to be done, in milliseconds. */
  readonly idleStall: number;
}

/** What it costs to remove what has expired; all in milliseconds. */
export interface Sweep {
  /** Processor time of the main thread, and of it and the worker. Helpers of V8 count for nobody. */
  readonly main: number;
  readonly total: number;
  /** From the first to the last removal. */
  readonly wall: number;
  /** The longest time for which the event loop did not turn. */
  readonly stall: number;
  /** The longest piece of the sweep itself, where it is in pieces, or in one. */
  readonly slice?: number;
  /** Entries that were removed. */
  readonly removed: number;
}

/** Microseconds at or below which so many of all reads are. */
export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** Reads that come 20,000 times a second: by themselves, and with the wait for their turn. */
export interface Reads {
  readonly alone: Quantiles;
  readonly waited: Quantiles;
}

/** What one child measured. Parts that it had no time for are missing. */
export interface Sample {
  readonly life?: Life;
  readonly idle?: Reads;
  readonly sweeping?: Reads;
  /** By the share of what expires, in percent. */
  readonly sweeps: Readonly<Partial<Record<number, Sweep>>>;
}

/** What a child is told. */
export interface Job {
  readonly module: string;
  readonly sweeping: string;
  readonly entries: number;
  readonly shares: readonly number[];
  /** After so many milliseconds it begins nothing any more. */
  readonly budget: number;
  /** How often it sweeps while it reads, and how long it reads for each, in milliseconds. */
  readonly cycles: number;
  readonly window: number;
}
