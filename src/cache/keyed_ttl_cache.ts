import { TtlCache } from "./ttl_cache.ts";
import type { TtlCacheOptions, TtlSetOptions } from "./ttl_cache_options.ts";

/** An entry that knows its own key. */
export interface KeyedEntry<K = string> {
  /** Its key. It must not change while the entry is in a cache. */
  readonly key: K;
}

/**
 * A cache of entries that carry their own key: the cache of Kubernetes controllers (`Add`, `Has`,
 * `Len`, `DeleteAll`), with a sweep that ends with its owner. Reading never extends an entry's life,
 * unless `updateOnGet` says so; adding it again does.
 *
 * @example
 * ```ts
 * import { KeyedTtlCache } from "@leash/leash/cache";
 * import { assertEquals } from "@std/assert";
 *
 * const owner = new AbortController();
 * await using deferred = new KeyedTtlCache<{ key: string; notBefore: number }>({
 *   signal: owner.signal,
 *   ttl: { minutes: 10 },
 * });
 * deferred.add({ key: "default/web", notBefore: 1_000 });
 * assertEquals(deferred.has("default/web")?.notBefore, 1_000);
 * assertEquals(deferred.has("default/db"), undefined);
 * ```
 */
export class KeyedTtlCache<Entry extends KeyedEntry<K>, K = Entry["key"]>
  implements AsyncDisposable {
  /** Resolves when the owner has aborted, or the cache was closed, and its timer is gone. */
  readonly finished: Promise<void>;
  readonly #cache: TtlCache<K, Entry>;

  /**
   * Makes an empty cache.
   *
   * @param options As for a {@linkcode TtlCache}.
   * @throws {TypeError | RangeError} When an option is missing or wrong.
   */
  constructor(options: TtlCacheOptions<K, Entry>) {
    this.#cache = new TtlCache(options);
    this.finished = this.#cache.finished;
  }

  /**
   * Adds an entry, in place of one with the same key. Its life begins now.
   *
   * @param entry The entry.
   * @param options How long it lives.
   * @throws {TypeError | RangeError} When `ttl` or the weight is wrong.
   */
  add(entry: Entry, options?: TtlSetOptions): void {
    this.#cache.set(entry.key, entry, options);
  }

  /**
   * The live entry of a key, or `undefined`. The entry is the one that was added, not a copy.
   *
   * @param key Its key.
   */
  has(key: K): Entry | undefined {
    return this.#cache.get(key);
  }

  /** How many entries there are, with those that have expired and wait for the sweep. */
  len(): number {
    return this.#cache.sizeWithExpired;
  }

  /** Removes all entries at once. */
  deleteAll(): void {
    this.#cache.clear();
  }

  /** Stops the sweep, as the abort of the owner does. The entries stay. */
  close(): Promise<void> {
    return this.#cache.close();
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
