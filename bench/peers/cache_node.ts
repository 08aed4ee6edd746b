import NodeCache from "npm:node-cache@5";
import type { Cache } from "../_sweep_contestant.ts";

/** Without copies, which nobody else makes either. Its sweep is the function that its timer calls. */
export function open(): Cache {
  const cache = new NodeCache({ stdTTL: 3_600, checkperiod: 0, useClones: false });
  const { _checkData } = cache as unknown as { _checkData(again: boolean): void };
  return {
    set: (key, value, ttl) => void cache.set(key, value, ttl / 1_000),
    get: (key) => cache.get<string>(key),
    size: () => cache.getStats().keys,
    sweep: () => _checkData.call(cache, false),
  };
}
