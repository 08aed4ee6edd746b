import { CacheableMemory } from "npm:@cacheable/memory@2";
import type { Cache } from "../_sweep_contestant.ts";

/** Without copies, which nobody else makes either. Its sweep is the function that its timer calls. */
export function open(): Cache {
  const cache = new CacheableMemory({ ttl: 3_600_000, checkInterval: 0, useClone: false });
  return {
    set: (key, value, ttl) => cache.set(key, value, ttl),
    get: (key) => cache.get<string>(key),
    size: () => cache.size,
    sweep: () => cache.checkExpiration(),
  };
}
