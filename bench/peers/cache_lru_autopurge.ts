import { LRUCache } from "npm:lru-cache@11";
import type { Cache } from "../_sweep_contestant.ts";

/** Its way of sweeping without being called. */
export function open(entries: number): Cache {
  const cache = new LRUCache<string, string>({ max: entries, ttl: 3_600_000, ttlAutopurge: true });
  return {
    set: (key, value, ttl) => void cache.set(key, value, { ttl }),
    get: (key) => cache.get(key),
    size: () => cache.size,
    close: () => cache.clear(),
  };
}
