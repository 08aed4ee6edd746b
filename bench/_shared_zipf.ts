/**
 * How many requests a cache answers that holds a tenth of the keys, when some keys are asked for much
 * more often than others. No times are measured here, so all contestants are in one process.
 *
 * @module
 */

import { LRUCache } from "npm:lru-cache@11";
import { SharedCache } from "../src/cache/shared_cache.ts";

/** What part of the requests each contestant answered. */
export interface HitRatios {
  /** The exponent of Zipf's law: the n-th key is asked for in proportion to 1 / n ** exponent. */
  readonly exponent: number;
  readonly keys: number;
  readonly requests: number;
  /** How many entries the cache in shared memory held at the end, and the others at most. */
  readonly entries: number;
  readonly leash: number;
  readonly lru: number;
  /** lru-cache with as many entries as fit into the memory that the shared cache takes. */
  readonly lruSameBytes: number;
  readonly fifo: number;
  /** The keys that are asked for most, and no others: no cache of this size can do better. */
  readonly best: number;
}

const keyOf = (n: number): string => `k${String(n).padStart(12, "0")}`;
const VALUE = "v".repeat(30);
/** What an entry of those takes in shared memory, index and all, about. */
const ENTRY = 83;

/**
 * Lets each contestant answer the same requests; on a miss, it stores the entry.
 *
 * @param bytes What an entry takes in lru-cache, of what it takes in shared memory.
 */
export async function hitRatios(
  exponent: number,
  keys: number,
  requests: number,
  bytes: number,
): Promise<HitRatios> {
  const trace = zipf(exponent, keys, requests);
  await using cache = new SharedCache<string>({
    signal: new AbortController().signal,
    maxBytes: keys / 10 * ENTRY,
    entryBytes: 43,
    ttl: { hours: 1 },
    codec: "string",
    sweepInterval: Infinity,
  });
  const leash = play(
    trace,
    (n) => cache.get(keyOf(n)) !== undefined,
    (n) => cache.set(keyOf(n), VALUE),
  );
  const entries = cache.stats.size;
  const lru = (max: number) => {
    const cache = new LRUCache<number, boolean>({ max });
    return play(trace, (n) => cache.get(n) !== undefined, (n) => cache.set(n, true));
  };
  const fifo = new Set<number>();
  return {
    exponent,
    keys,
    requests,
    entries,
    leash,
    lru: lru(entries),
    lruSameBytes: lru(Math.round(entries / bytes)),
    fifo: play(trace, (n) => fifo.has(n), (n) => {
      if (fifo.size >= entries) fifo.delete(fifo.values().next().value!);
      fifo.add(n);
    }),
    best: play(trace, (n) => n < entries, () => {}),
  };
}

/** The first half fills the cache; only the second is counted. */
function play(
  trace: Int32Array,
  get: (key: number) => boolean,
  set: (key: number) => void,
): number {
  const half = trace.length >> 1;
  let hits = 0;
  for (let i = 0; i < trace.length; i++) {
    if (!get(trace[i]!)) set(trace[i]!);
    else if (i >= half) hits++;
  }
  return hits / (trace.length - half);
}

/** Keys from 0, the one that is asked for most. The same ones each time. */
function zipf(exponent: number, keys: number, requests: number): Int32Array {
  const sums = new Float64Array(keys);
  let sum = 0;
  for (let n = 0; n < keys; n++) sums[n] = sum += 1 / (n + 1) ** exponent;
  let seed = 12_345;
  return Int32Array.from({ length: requests }, () => {
    seed = seed + 0x9e3779b9 | 0;
    let mixed = Math.imul(seed ^ seed >>> 16, 0x85ebca6b);
    mixed = Math.imul(mixed ^ mixed >>> 13, 0xc2b2ae35);
    const goal = ((mixed ^ mixed >>> 16) >>> 0) / 2 ** 32 * sum;
    let [low, high] = [0, keys - 1];
    while (low < high) {
      const middle = low + high >> 1;
      if (sums[middle]! > goal) high = middle;
      else low = middle + 1;
    }
    return low;
  });
}
