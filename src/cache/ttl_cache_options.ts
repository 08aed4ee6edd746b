import type { Clock } from "../base/clock.ts";
import type { Duration } from "../base/duration.ts";
import type { RemovalCause } from "./removal_cause.ts";

/** How to make a {@linkcode TtlCache}. */
export interface TtlCacheOptions<K, V> {
  /** The owner of the sweep: when it aborts, no timer is left. It may have aborted already. */
  signal: AbortSignal;
  /**
   * How long an entry lives: more than 0, `Infinity` for ever. (In client-go, 0 and negative mean for
   * ever; here they are a RangeError.)
   */
  ttl: Duration;
  /** The most entries: beyond it, the least recently used one is evicted. Default: no limit. */
  maxSize?: number;
  /** The most weight of all entries together; needs `weigh`. Default: no limit. */
  maxWeight?: number;
  /**
   * The weight of an entry: a finite number of at least 0. It is asked once, when the value is set, and
   * before anything is changed: if it throws, `set` throws, and the cache is as before.
   */
  weigh?: (value: V, key: K) => number;
  /** Whether `get` begins the entry's time to live anew. Default: false. */
  updateOnGet?: boolean;
  /**
   * How often expired entries are looked for, so that they free their memory; `Infinity` for never.
   * Reads do not depend on it. Default: a quarter of the shortest time to live that was
   * set of late, within 1 second and 10 minutes.
   */
  sweepInterval?: Duration;
  /**
   * How long a sweep may hold up the thread at a time. After that the event loop has its turn. Default:
   * 1 millisecond.
   */
  sweepBudget?: Duration;
  /**
   * A promise of yours: no synchronous code of this program holds up the thread for longer. Then reads
   * that follow each other without an `await` share one look at the computer's clock, for entries that
   * have longer to live, and loops over a large cache read about a third faster. Should the promise be
   * broken, such a loop can get values that expired in the midst of it. Default: nothing is promised,
   * and each read looks at the clock.
   */
  maxStall?: Duration;
  /** The time; only its monotonic side is read. Default: the computer's. */
  clock?: Clock;
  /**
   * Told of each entry that is gone, after the fact: it may use the cache in any way, except that one
   * that puts back whatever was evicted never comes to an end. Calls are never nested. An exception in
   * it goes to stderr and harms nothing.
   */
  onRemove?: (key: K, value: V, cause: RemovalCause) => void;
}

/** How to set an entry. */
export interface TtlSetOptions {
  /** How long this entry lives. Default: the cache's `ttl`. */
  ttl?: Duration;
}

/** How to load an entry that is not there. */
export interface TtlLoadOptions extends TtlSetOptions {
  /** Aborts the wait of this caller, not the load that others wait for. */
  signal?: AbortSignal;
  /**
   * How long a failure is remembered: until then, callers get the same error without another load. The
   * last 1,000 failures of a cache are kept. Default: not at all.
   */
  failureTtl?: Duration;
}

/** What a load is given. */
export interface TtlLoadContext {
  /** Aborted when nobody waits for the load any more, or when the cache's owner stops. */
  readonly signal: AbortSignal;
}

/** What a {@linkcode TtlCache} has done so far. */
export interface TtlCacheStats {
  /** Reads by `get` and `getOrLoad` that found a live entry. */
  readonly hits: number;
  /** Reads by `get` and `getOrLoad` that found none. */
  readonly misses: number;
  /** Loads that `getOrLoad` began; callers that share one count once. */
  readonly loads: number;
  /** Loads that failed. */
  readonly loadFailures: number;
  /** Removals by cause. */
  readonly removals: Readonly<Record<RemovalCause, number>>;
}
