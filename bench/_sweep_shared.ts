import { Scheduler } from "../mod.ts";
import { SharedCache } from "../src/cache/mod.ts";
import type { Cache } from "./_sweep_contestant.ts";

/** Sweeps of the empty cache, so that the worker's code is compiled: a program has swept for hours. */
const WARM_UPS = 100;

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
  const run = async () => {
    const { outcome, error } = await task.trigger();
    if (outcome !== "succeeded") throw new Error(`Cannot sweep: ${outcome}`, { cause: error });
  };
  for (let count = 0; count < WARM_UPS; count++) await run();
  return {
    set: (key, value, ttl) => cache.set(key, value, { ttl }),
    get: (key) => cache.get(key),
    size: () => cache.size,
    removed: () => cache.stats().expirations,
    async sweep() {
      // The clock leaps in this thread only. Each write tells the others the time; this one goes where
      // what lives on is, and holds up nothing.
      cache.set("time", "", { ttl: { hours: 100 } });
      cache.delete("time");
      await run();
    },
    async close() {
      owner.abort();
      await cache.finished;
      await scheduler.finished;
    },
  };
}
