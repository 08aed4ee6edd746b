import { systemClock } from "../base/clock.ts";
import { ClosedError } from "../base/errors.ts";
import { Owner } from "../base/owner.ts";
import { ValueCodec } from "./_shared_codec.ts";
import { checkSignal, sharedConfig } from "./_shared_config.ts";
import type { Lease } from "./_shared_leases.ts";
import { SharedLoader } from "./_shared_loader.ts";
import { createStore, nameOf, openStore, settingsOf } from "./_shared_memory.ts";
import { checkKey, entryTooLarge, keyTooLong, ttlOf } from "./_shared_refusals.ts";
import { statsOf } from "./_shared_stats.ts";
import type { SharedStore } from "./_shared_store.ts";
import { SharedSweeper } from "./_shared_sweeper.ts";
import type { SharedCacheHandle } from "./shared_cache_handle.ts";
import type {
  SharedAttachOptions,
  SharedCacheOptions,
  SharedCacheStats,
  SharedLoadContext,
  SharedLoadOptions,
  SharedSetOptions,
} from "./shared_cache_options.ts";

/** The stores that `attach()` has opened, for the constructor. */
const attaching = new WeakMap<object, SharedStore>();

/**
 * A cache in shared memory: every thread of the process reads and writes it directly, without a message,
 * and a task in a worker sweeps it. Its entries are no work for the garbage collector, however many.
 *
 * Values are copied in and out. It never takes more memory than it was given: when that is full, what
 * expires first goes first, unless it was read since it was written or since its turn came last. Like
 * any cache it may forget an entry early, but never returns a value that was replaced, deleted or has
 * expired. Entries live up to 32 ms longer than asked for, and up to a
 * second if the sweeper is dead and nobody writes. A cache works for 397 days. Threads agree on the time
 * by the computer's date at their start: in one that starts after the date was set forward, entries expire
 * that much earlier.
 *
 * A string key and its bytes in UTF-8 are the same key. No thread waits for another one: any of them may
 * be terminated at any time, and harms nobody; what it was just writing is lost. Where it was made, its
 * sweeper keeps the process alive until the cache closes (not with `sweepInterval: Infinity`).
 *
 * `Value` is what you say it is: with the codec `"string"`, `SharedCache<string>`; with `"bytes"`,
 * `SharedCache<Uint8Array>`.
 *
 * @example
 * ```ts
 * import { SharedCache } from "@leash/leash/cache";
 * import { assertEquals } from "@std/assert";
 *
 * const owner = new AbortController();
 * await using cache = new SharedCache<{ name: string }>({
 *   signal: owner.signal,
 *   maxBytes: 16 * 2 ** 20,
 *   ttl: { minutes: 5 },
 * });
 * cache.set("user:1", { name: "Ada" });
 * cache.set("user:2", { name: "Bob" }, { ttl: { seconds: 10 } });
 * assertEquals(cache.get("user:1"), { name: "Ada" });
 * assertEquals(cache.delete("user:2"), true);
 *
 * // In a worker: the handle came with a message, or as the input of a task.
 * const { signal } = new AbortController();
 * await using same = SharedCache.attach<{ name: string }>(cache.handle, { signal });
 * assertEquals(same.get("user:1"), { name: "Ada" });
 * ```
 */
export class SharedCache<Value = unknown> implements AsyncDisposable {
  /** The cache as a value for workers: post it, or give it to a task as its input. */
  readonly handle: SharedCacheHandle;
  /**
   * Settles when the cache has closed and its sweeper is gone. Rejects with a `StuckWorkerError` when the
   * sweeper lives on.
   */
  readonly finished: Promise<void>;
  readonly #owner: Owner;
  readonly #store: SharedStore;
  readonly #codec: ValueCodec;
  readonly #loader: SharedLoader;
  readonly #ttl: number;
  readonly #sweeper: SharedSweeper | undefined;

  /**
   * Makes a cache, and reserves its memory. Its sweeper gets a worker when the first sweep is due.
   *
   * @param options The owner, the limits, and what is to be different from the defaults.
   * @throws {TypeError | RangeError} When an option is missing or wrong.
   * @throws {ClosedError} When the scheduler that was given has been stopped.
   */
  constructor(options: SharedCacheOptions) {
    const opened = attaching.get(options);
    const config = opened === undefined ? sharedConfig(options) : undefined;
    const store = opened ?? createStore(config!.layout, config!.settings, config!.clock);
    const { codec, ttl } = settingsOf(store);
    this.#store = store;
    this.#ttl = ttl;
    this.#codec = new ValueCodec(codec, store.memory.room);
    this.handle = { leash: "shared cache", buffer: store.memory.buffer };
    const name = nameOf(store);
    this.#owner = new Owner(options.signal, () => this.#stop(), "shared cache");
    this.finished = this.#owner.finished;
    this.#loader = new SharedLoader(store, config?.clock ?? systemClock, this.#owner.signal);
    if (config === undefined || config.sweepInterval === Infinity) return;
    if (this.#owner.signal.aborted) return;
    const { scheduler, sweepInterval: interval, clock } = config;
    const { signal } = this.#owner;
    try {
      this.#sweeper = this.#owner.live.within(() =>
        new SharedSweeper(this.handle, name, { signal, scheduler, interval, clock })
      );
    } catch (error) {
      void this.#owner.stop({ reason: error });
      throw error;
    }
  }

  /**
   * Attaches to a cache that was made in another thread, or in this one. It has the same entries, and
   * closes on its own.
   *
   * @param handle The handle of the cache.
   * @param options The owner of this thread's part.
   * @throws {TypeError} When the handle is not that of a cache, or that of another version of Leash.
   */
  static attach<Value = unknown>(
    handle: SharedCacheHandle,
    options: SharedAttachOptions,
  ): SharedCache<Value> {
    checkSignal("attach", options?.signal);
    const store = openStore(handle);
    const { ttl } = settingsOf(store);
    const all = { signal: options.signal, maxBytes: handle.buffer.byteLength, ttl };
    attaching.set(all, store);
    return new SharedCache<Value>(all);
  }

  /**
   * How many entries there are. Those that have expired count until the last of their segment has;
   * entries of a similar `ttl` share segments. A thread that is killed in the midst of a write may leave
   * it off by one, until that segment is released.
   *
   * @throws {ClosedError} When the cache has closed.
   */
  get size(): number {
    this.#check("count the entries of");
    return this.#store.size();
  }

  /**
   * The value of a key, as a copy; `undefined` when there is none.
   *
   * @param key A string, or bytes, of at most 64 KiB.
   * @throws {RangeError} When the key is too long.
   * @throws {ClosedError} When the cache has closed.
   */
  get(key: string | Uint8Array): Value | undefined {
    this.#seek("get from", key);
    const store = this.#store;
    if (!store.get()) return undefined;
    return this.#codec.decode(store.found, store.foundLength, store.foundCodec) as
      | Value
      | undefined;
  }

  /**
   * The value of a key as bytes, without decoding it: strings and JSON in UTF-8.
   *
   * @param key A string, or bytes, of at most 64 KiB.
   * @throws {RangeError} When the key is too long.
   * @throws {ClosedError} When the cache has closed.
   */
  getBytes(key: string | Uint8Array): Uint8Array<ArrayBuffer> | undefined {
    this.#seek("get from", key);
    const store = this.#store;
    if (!store.get()) return undefined;
    return this.#codec.decodeBytes(store.found, store.foundLength, store.foundCodec);
  }

  /**
   * Whether there is a value of the key. It counts neither as a hit nor as a miss.
   *
   * @param key A string, or bytes, of at most 64 KiB.
   * @throws {RangeError} When the key is too long.
   * @throws {ClosedError} When the cache has closed.
   */
  has(key: string | Uint8Array): boolean {
    this.#seek("look into", key);
    return this.#store.has();
  }

  /**
   * Stores a value under a key, in the place of the one before. All threads see it when this returns.
   *
   * @param key A string, or bytes, of at most 64 KiB.
   * @param value What the codec of the cache can hold.
   * @param options How long it lives.
   * @throws {TypeError} When the value is none of the codec's.
   * @throws {RangeError} When the key is too long, or both together are larger than a segment.
   * @throws {ClosedError} When the cache has closed.
   */
  set(key: string | Uint8Array, value: Value, options?: SharedSetOptions): void {
    this.#put(key, value, options?.ttl === undefined ? this.#ttl : ttlOf(options.ttl));
  }

  /**
   * Forgets a key.
   *
   * @param key A string, or bytes, of at most 64 KiB.
   * @returns Whether there was a value.
   * @throws {RangeError} When the key is too long.
   * @throws {ClosedError} When the cache has closed.
   */
  delete(key: string | Uint8Array): boolean {
    this.#seek("delete from", key);
    return this.#store.delete();
  }

  /**
   * Forgets everything, at one instant for all threads.
   *
   * @throws {ClosedError} When the cache has closed.
   */
  clear(): void {
    this.#check("clear");
    this.#store.clear();
  }

  /**
   * The value of a key; if there is none, what `load` returns, which is then stored. While one caller
   * loads a key, all others wait for it, in all threads. When its load fails, those who wait in its thread
   * get the error, and of those in other threads the next one loads. When its thread dies, that happens
   * after `lease`. Nothing of a failure is kept. What is set or deleted during a load, in any thread, is
   * newer than its result, which then goes to its callers alone.
   *
   * @param key A string, or bytes, of at most 64 KiB.
   * @param load Makes the value. It is given the key, for bytes a copy of them.
   * @param options How long the value lives, and how long one loader may take.
   * @returns The value. Rejects with what `load` rejects with, and with the reason when `signal` aborts
   * or the cache closes meanwhile.
   * @throws {RangeError} When the key is too long, or the value too large.
   * @throws {ClosedError} When the cache has closed.
   */
  async getOrLoad<Key extends string | Uint8Array>(
    key: Key,
    load: (
      key: Key extends string ? Key : Uint8Array<ArrayBuffer>,
      context: SharedLoadContext,
    ) => Value | Promise<Value>,
    options: SharedLoadOptions = {},
  ): Promise<Value> {
    const { signal, lease } = options;
    const ttl = options.ttl === undefined ? this.#ttl : ttlOf(options.ttl);
    signal?.throwIfAborted();
    const found = this.get(key);
    if (found !== undefined) return found;
    // A copy, as its bytes may change before the load has ended. (The `slice()` of a Buffer makes none.)
    const own = typeof key === "string" ? key : new Uint8Array(key);
    return await this.#loader.load<Value>({
      key: own,
      lease,
      signal,
      get: () => this.get(own),
      has: () => this.has(own),
      load: (signal) => load(own as Parameters<typeof load>[0], { signal }),
      set: (value, lease, isNewest) => this.#put(own, value, ttl, lease, isNewest),
    });
  }

  /**
   * Releases what has expired, as the sweeper does, in this thread and at once. It takes some
   * microseconds and a little more for each segment.
   *
   * @returns How many entries were released.
   * @throws {ClosedError} When the cache has closed.
   */
  sweep(): number {
    this.#check("sweep");
    return this.#store.sweep();
  }

  /**
   * What is known of the cache, all threads together.
   *
   * @throws {ClosedError} When the cache has closed.
   */
  get stats(): SharedCacheStats {
    this.#check("tell of");
    return statsOf(this.#store);
  }

  /**
   * Closes the cache in this thread; where it was made, that ends its sweeper. Other threads go on.
   * Calling it again joins the first call.
   *
   * @returns Resolves when the sweeper is gone.
   * @throws {StuckWorkerError} When the sweeper lives on.
   */
  close(): Promise<void> {
    return this.#owner.stop({ reason: new DOMException("The cache was closed", "AbortError") });
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #put(
    key: string | Uint8Array,
    value: Value,
    ttl: number,
    lease?: Lease,
    isNewest?: () => boolean,
  ): void {
    const codec = this.#codec;
    // First the value: encoding it may run code of the user's, which may use this cache.
    const fits = codec.encode(value);
    if (isNewest?.() === false) return;
    const length = this.#seek("set in", key);
    const store = this.#store;
    if (!fits || length + codec.length > store.memory.room) {
      throw entryTooLarge(store.memory.room, length, codec.length);
    }
    store.set(codec.bytes, codec.length, codec.kind, ttl, lease);
  }

  #check(verb: string): void {
    if (!this.#owner.signal.aborted) return;
    throw new ClosedError(`${verb} a SharedCache`, "it has been closed", {
      cause: this.#owner.signal.reason,
    });
  }

  #seek(verb: string, key: string | Uint8Array): number {
    this.#check(verb);
    checkKey(verb, key);
    const length = this.#store.seek(key);
    if (length < 0) throw keyTooLong(verb, key);
    return length;
  }

  async #stop(): Promise<void> {
    this.#store.release();
    await this.#sweeper?.close();
  }
}
