import type { Cache } from "./_sweep_contestant.ts";
import { keyOf, valueOf } from "./_sweep_data.ts";
import { busy } from "./_sweep_time.ts";

/** Sets and reads between two looks at the clock. */
const CHUNK = 1_000;

/** Sets entries, and returns the milliseconds for one. */
export function fill(
  cache: Cache,
  count: number,
  ttlOf: (id: number) => number,
  idOf: (at?: number) => number = (at) => at!,
): number {
  const keys: string[] = Array(CHUNK).fill("");
  const values: string[] = Array(CHUNK).fill("");
  const ttls: number[] = Array(CHUNK).fill(0);
  let time = 0;
  for (let from = 0; from < count; from += CHUNK) {
    const size = Math.min(CHUNK, count - from);
    for (let at = 0; at < size; at++) {
      const id = idOf(from + at);
      keys[at] = keyOf(id);
      values[at] = valueOf(id);
      ttls[at] = ttlOf(id);
    }
    time += busy(() => {
      for (let at = 0; at < size; at++) cache.set(keys[at]!, values[at]!, ttls[at]!);
    });
  }
  return time / count;
}

/** Reads entries that are there, and returns the milliseconds for one. */
export function read(cache: Cache, count: number, random: () => number): number {
  const keys: string[] = Array(CHUNK).fill("");
  let [time, hits] = [0, 0];
  for (let from = 0; from < count; from += CHUNK) {
    for (let at = 0; at < CHUNK; at++) keys[at] = keyOf(random());
    time += busy(() => {
      for (let at = 0; at < CHUNK; at++) if (cache.get(keys[at]!) !== undefined) hits++;
    });
  }
  checkHits(cache, hits, count);
  return time / count;
}

/** All entries must be there; but a few in a thousand may be lost where the cache says so. */
export function checkHits(cache: Cache, hits: number, count: number): void {
  const misses = count - hits;
  if (misses === 0 || (cache.lost?.() && misses <= count / 1_000)) return;
  throw new Error(`Cannot measure reads: ${misses} of ${count} missed`);
}
