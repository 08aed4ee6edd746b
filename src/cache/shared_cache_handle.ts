/**
 * A {@linkcode SharedCache} as a value that can be posted to a worker, or be the input of a task.
 * {@linkcode SharedCache.attach} makes a cache of it there. It does not reach other processes.
 */
export interface SharedCacheHandle {
  /** What it is. */
  readonly leash: "shared cache";
  /** The memory of the cache. */
  readonly buffer: SharedArrayBuffer;
}

/**
 * Whether a value is the handle of a shared cache, which no process but this one can use.
 *
 * @param value Anything.
 *
 * @example
 * ```ts
 * import { isSharedCacheHandle, SharedCache } from "@leash/leash/cache";
 * import { assertEquals } from "@std/assert";
 *
 * const { signal } = new AbortController();
 * await using cache = new SharedCache({ signal, maxBytes: 2 ** 20, ttl: { minutes: 1 } });
 * assertEquals(isSharedCacheHandle(structuredClone(cache.handle)), true);
 * assertEquals(isSharedCacheHandle({}), false);
 * ```
 */
export function isSharedCacheHandle(value: unknown): value is SharedCacheHandle {
  return typeof value === "object" && value !== null && "leash" in value &&
    value.leash === "shared cache" && "buffer" in value &&
    value.buffer instanceof SharedArrayBuffer;
}
