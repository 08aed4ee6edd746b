import { TtlCache, type TtlCacheOptions } from "../src/cache/mod.ts";
import type { Cache } from "./_sweep_contestant.ts";

/** Swept by its own timer, as in a program. */
export function open(
  _entries: number,
  options?: Partial<TtlCacheOptions<string, string>>,
): Cache {
  const owner = new AbortController();
  const cache = new TtlCache<string, string>({
    signal: owner.signal,
    ttl: { hours: 1 },
    sweepInterval: 50,
    ...options,
  });
  return {
    set: (key, value, ttl) => void cache.set(key, value, { ttl }),
    get: (key) => cache.get(key),
    size: () => cache.sizeWithExpired,
    close: () => owner.abort(),
  };
}
