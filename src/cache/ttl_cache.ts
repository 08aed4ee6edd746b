import { Owner } from "../base/owner.ts";
import { toTtl, ttlConfig } from "./_ttl_config.ts";
import { TtlEntries } from "./_ttl_entries.ts";
import { Flights } from "./_ttl_flights.ts";
import { Sweeper } from "./_ttl_sweeper.ts";
import type {
  TtlCacheOptions,
  TtlCacheStats,
  TtlLoadContext,
  TtlLoadOptions,
  TtlSetOptions,
} from "./ttl_cache_options.ts";

/**
 * A map whose entries live for a while. An entry is alive at exactly its time to live and expired
 * right after; what has expired is not returned, however busy the program is. A sweep in short slices
 * frees its memory.
 *
 * The sweep belongs to the signal. When that has aborted, no timer is left, and the cache can still be
 * read and written: then entries expire when they are looked at. Nothing in it keeps the process alive.
 *
 * @example
 * ```ts
 * import { TtlCache } from "@leash/leash/cache";
 * import { FakeClock } from "@leash/leash/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * const owner = new AbortController();
 * await using cache = new TtlCache<string, number>({
 *   signal: owner.signal,
 *   ttl: { minutes: 10 },
 *   clock,
 * });
 * cache.set("answer", 42).set("guess", 41, { ttl: 500 });
 * clock.advance(500);
 * assertEquals([...cache], [["answer", 42], ["guess", 41]]);
 * clock.advance(1);
 * assertEquals([...cache], [["answer", 42]]);
 * ```
 */
export class TtlCache<K, V> implements AsyncDisposable {
  /** Resolves when the owner has aborted, or the cache was closed, and its timer is gone. */
  readonly finished: Promise<void>;
  readonly #owner: Owner;
  readonly #ttl: number;
  readonly #entries: TtlEntries<K, V>;
  readonly #sweeper: Sweeper<K, V>;
  readonly #flights: Flights<K, V>;
  #hits = 0;
  #misses = 0;

  /**
   * Makes an empty cache.
   *
   * @param options The owner, the time to live, and what is to be different from the defaults.
   * @throws {TypeError | RangeError} When an option is missing or wrong.
   */
  constructor(options: TtlCacheOptions<K, V>) {
    const config = ttlConfig(options, "TtlCache");
    this.#ttl = config.ttl;
    this.#entries = new TtlEntries(options, config);
    this.#sweeper = new Sweeper(this.#entries.store, this.#entries.removals, config);
    this.#owner = new Owner(options.signal, () => {
      this.#sweeper.close();
      return Promise.resolve();
    }, "cache");
    this.#flights = new Flights(this.#owner.signal, () => config.clock.monotonic());
    this.finished = this.#owner.finished;
  }

  /**
   * The value of a live entry. Counts as a use, and as a hit or a miss; removes what has expired.
   *
   * @param key Its key.
   * @returns The value, or `undefined`.
   */
  get(key: K): V | undefined {
    const slot = this.#entries.use(key);
    if (slot === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    return this.#entries.store.values[slot];
  }

  /**
   * The value of a live entry, without any effect.
   *
   * @param key Its key.
   * @returns The value, or `undefined`.
   */
  peek(key: K): V | undefined {
    const slot = this.#entries.find(key);
    return slot === undefined ? undefined : this.#entries.store.values[slot];
  }

  /**
   * Whether there is a live entry, without any effect.
   *
   * @param key Its key.
   */
  has(key: K): boolean {
    return this.#entries.find(key) !== undefined;
  }

  /**
   * How long an entry lives on, in milliseconds: `Infinity` for ever, 0 at its last moment, `undefined`
   * when there is none. No effect on it.
   *
   * @param key Its key.
   */
  ttlOf(key: K): number | undefined {
    const slot = this.#entries.find(key);
    return slot === undefined ? undefined : this.#entries.remaining(slot);
  }

  /**
   * Adds an entry, or gives it another value. Either way its life begins now. One that weighs more
   * than `maxWeight` is evicted at once.
   *
   * @param key Its key.
   * @param value Its value.
   * @param options How long it lives.
   * @returns The cache.
   * @throws {TypeError | RangeError} When `ttl` or the weight is wrong; the cache is then as before.
   */
  set(key: K, value: V, options?: TtlSetOptions): this {
    const ttl = options?.ttl === undefined ? this.#ttl : toTtl(options.ttl, "ttl");
    this.#put(key, value, ttl);
    return this;
  }

  /**
   * Removes an entry. A load of the same key that is under way will not be kept.
   *
   * @param key Its key.
   * @returns Whether there was a live one.
   */
  delete(key: K): boolean {
    this.#flights.forget(key);
    return this.#entries.delete(key);
  }

  /** Removes all entries at once, before `onRemove` hears of any. Loads under way will not be kept. */
  clear(): void {
    this.#flights.forgetAll();
    this.#entries.clear();
  }

  /** How many entries are alive. Looks at all of them: 1 to 2 milliseconds for a million. */
  get size(): number {
    return this.#entries.countAlive();
  }

  /** How many entries there are, with those that have expired and wait for the sweep. */
  get sizeWithExpired(): number {
    return this.#entries.store.slots.size;
  }

  /** What the cache has done so far. */
  get stats(): TtlCacheStats {
    return {
      hits: this.#hits,
      misses: this.#misses,
      loads: this.#flights.loads,
      loadFailures: this.#flights.failures,
      removals: { ...this.#entries.removals.counts },
    };
  }

  /**
   * The value of a live entry, or of one that is loaded now. Callers that ask for the same key
   * meanwhile share one load. What was set or deleted during a load is newer than its result, which
   * then goes to its callers alone: so a load may `set` its value itself, with a `ttl` that it got to
   * know.
   *
   * When the signal of a caller aborts, only that caller stops waiting; the signal that the load gets
   * aborts when nobody waits any more.
   *
   * @param key The key.
   * @param load Gets the value. It must not wait for the same key itself.
   * @param options How long the entry lives, and who waits.
   * @returns The value.
   * @throws What the load threw; the reason of the signal or of the owner when one of them aborts.
   * @throws {ClosedError} When it would have to load after the owner has stopped.
   *
   * @example
   * ```ts
   * import { TtlCache } from "@leash/leash/cache";
   *
   * await using cache = new TtlCache<string, string>({
   *   signal: new AbortController().signal,
   *   ttl: { minutes: 5 },
   * });
   * const load = async (key: string) => await Promise.resolve(`token of ${key}`);
   * await Promise.all([cache.getOrLoad("ada", load), cache.getOrLoad("ada", load)]);
   * console.assert(cache.stats.loads === 1);
   * ```
   */
  async getOrLoad(
    key: K,
    load: (key: K, context: TtlLoadContext) => V | Promise<V>,
    options: TtlLoadOptions = {},
  ): Promise<V> {
    const { signal, failureTtl } = options;
    const ttl = options.ttl === undefined ? this.#ttl : toTtl(options.ttl, "ttl");
    const remember = failureTtl === undefined ? 0 : toTtl(failureTtl, "failureTtl");
    signal?.throwIfAborted();
    const slot = this.#entries.use(key);
    if (slot !== undefined) {
      this.#hits++;
      return this.#entries.store.values[slot]!;
    }
    this.#misses++;
    return await this.#flights.wait({
      key,
      load,
      keep: (value) => this.#put(key, value, ttl),
      failureTtl: remember,
      signal,
    });
  }

  /** The live entries. The cache may be changed meanwhile, as with a `Map`. */
  *entries(): Generator<[K, V], undefined> {
    const { store } = this.#entries;
    for (const [key, slot] of store.slots) {
      if (this.#entries.isAlive(slot)) yield [key, store.values[slot]!];
    }
  }

  /** The keys of the live entries. */
  *keys(): Generator<K, undefined> {
    for (const [key] of this.entries()) yield key;
  }

  /** The values of the live entries. */
  *values(): Generator<V, undefined> {
    for (const [, value] of this.entries()) yield value;
  }

  /** The live entries. */
  [Symbol.iterator](): Generator<[K, V], undefined> {
    return this.entries();
  }

  /**
   * Stops the sweep, as the abort of the owner does, and rejects loads under way. The entries stay.
   *
   * @param reason What those who wait for a load get. Default: an `AbortError`.
   * @returns Resolves when no timer is left.
   */
  close(reason?: unknown): Promise<void> {
    return this.#owner.stop({ reason });
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #put(key: K, value: V, ttl: number): void {
    // The user's code comes first, because it may change the cache or throw.
    const weight = this.#entries.weightOf(key, value);
    this.#flights.forget(key);
    this.#entries.put(key, value, ttl, weight);
    this.#sweeper.arm(ttl);
    this.#entries.removals.tell();
  }
}
