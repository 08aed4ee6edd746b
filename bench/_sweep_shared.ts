import { Scheduler } from "../mod.ts";
import { SharedCache } from "../src/cache/mod.ts";
import type { Cache } from "./_sweep_contestant.ts";
import { leap } from "./_sweep_time.ts";

/** Sweeps of a few entries, so that the worker's code is compiled: a program has swept for hours. */
const WARM_UPS = 100;
/**
 * Times to live of those, in milliseconds: each goes to a segment of its own, or to that of the first
 * one where few may be open.
 */
const TTLS = [600, 300, 150, 70, 30, 15, 7, 3].map((seconds) => seconds * 1_000);

/**
 * Swept by its task, in its worker. The task is triggered rather than waited for, so that what it costs
 * is seen from its beginning to its end.
 */
export async function open(entries: number): Promise<Cache> {
  const owner = new AbortController();
  const scheduler = new Scheduler({ signal: owner.signal });
  const cache = new SharedCache<string>({
    signal: owner.signal,
    scheduler,
    // For each entry 64 bytes, its place in the index, and half as much again for those set anew.
    maxBytes: Math.max(2 ** 20, Math.ceil(entries * 136 / 4096) * 4096),
    entryBytes: 43,
    ttl: { hours: 1 },
    codec: "string",
    sweepInterval: { days: 300 },
  });
  const task = scheduler.tasks[0]!;
  // Where what lives on is: a small cache has few open segments.
  cache.set("time", "", { ttl: { hours: 100 } });
  const sweep = async () => {
    // The clock leaps in this thread only. One of 16 reads tells the others the time.
    for (let count = 0; count < 16; count++) cache.has("time");
    const { outcome, error } = await task.trigger();
    if (outcome !== "succeeded") throw new Error(`Cannot sweep: ${outcome}`, { cause: error });
  };
  for (let count = 0; count < WARM_UPS; count++) {
    for (const ttl of TTLS) cache.set(`warm:${ttl}`, "up", { ttl });
    leap(TTLS[0]! + 1_000);
    await sweep();
  }
  const before = cache.stats.expirations;
  return {
    set: (key, value, ttl) => cache.set(key, value, { ttl }),
    get: (key) => cache.get(key),
    size: () => cache.size,
    removed: () => cache.stats.expirations - before,
    lost: () => cache.stats.evictions,
    sweep,
    async close() {
      owner.abort();
      await cache.finished;
      await scheduler.finished;
    },
  };
}
