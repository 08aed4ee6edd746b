import { LRUCache } from "npm:lru-cache@11";
import type { Cache } from "../_sweep_contestant.ts";

/** It must be given a limit; here it is never reached. */
export function open(entries: number): Cache {
  const cache = new LRUCache<string, string>({ max: entries, ttl: 3_600_000 });
  return {
    set: (key, value, ttl) => void cache.set(key, value, { ttl }),
    get: (key) => cache.get(key),
    size: () => cache.size,
    sweep: () => void cache.purgeStale(),
  };
}
