import {
  DROPS,
  EVICTIONS,
  EXPIRATIONS,
  HITS,
  LIVE_UNITS,
  META,
  MISSES,
  SWEEPS,
  UNIT_SHIFT,
  USED,
} from "./_shared_layout.ts";
import { FREE, SEALED, STATE_MASK } from "./_shared_state.ts";
import type { SharedStore } from "./_shared_store.ts";
import type { SharedCacheStats } from "./shared_cache_options.ts";

/** Reads all counters, and the header of each segment. */
export function statsOf(store: SharedStore): SharedCacheStats {
  store.flush();
  const { segments, tally, memory } = store;
  const { words, counters, layout } = memory;
  const counter = (name: number): number => Number(counters[name]!);
  let [free, open, sealed, used, live] = [0, 0, 0, 0, 0];
  for (let segment = 0; segment < segments.count; segment++) {
    const header = memory.header(segment);
    const state = words[header + META]! & STATE_MASK;
    if (state === FREE) {
      free++;
      continue;
    }
    if (state === SEALED) sealed++;
    else open++;
    used += Math.min(Math.max(0, words[header + USED]!), segments.units);
    live += tally.live(segment, LIVE_UNITS);
  }
  const bytes = (units: number): number => units * 2 ** UNIT_SHIFT;
  return {
    hits: counter(HITS),
    misses: counter(MISSES),
    evictions: counter(EVICTIONS),
    expirations: counter(EXPIRATIONS),
    drops: counter(DROPS),
    sweeps: counter(SWEEPS),
    size: store.size(),
    segments: { free, open, sealed },
    bytes: {
      live: bytes(live),
      dead: bytes(Math.max(0, used - live)),
      free: bytes(segments.count * segments.units - used),
      total: layout.byteLength,
    },
  };
}
