import { TTLCache } from "npm:@isaacs/ttlcache@2";
import type { Cache } from "../_sweep_contestant.ts";

/** It looks at the age on reads only when it is told to. */
export function open(): Cache {
  const cache = new TTLCache<string, string>({ ttl: 3_600_000, checkAgeOnGet: true });
  return {
    set: (key, value, ttl) => void cache.set(key, value, { ttl }),
    get: (key) => cache.get(key),
    size: () => cache.size,
    sweep: () => void cache.purgeStale(),
    close: () => cache.clear(),
  };
}
