import { Controller } from "../src/reconcile/controller.ts";
import type { ControllerOptions } from "../src/reconcile/controller_options.ts";
import { makeKeys, type QueueJob, timed } from "./_queue_jobs.ts";
import reconcile, { count as looked } from "./_queue_reconcile.ts";

/** One call takes too short a time for the clock. */
const CALLS = 100;

/** The same function, called in this thread. */
export const direct: QueueJob = async (count) => {
  const keys = makeKeys(count);
  const before = looked();
  const sample = await timed(count * CALLS, async () => {
    for (let times = 0; times < CALLS; times++) for (const key of keys) await reconcile(key);
  });
  if (looked() - before !== count * CALLS) {
    throw new Error("Cannot trust the bench: keys were lost");
  }
  return sample;
};

/** One key at a time. */
export const one: QueueJob = (count) => run(count, { concurrency: 1 });

/** Four workers, a key at a time each. */
export const four: QueueJob = (count) => run(count, { concurrency: 4 });

/** One worker, which has others to do while one waits. */
export const batches: QueueJob = (count) =>
  run(count, { concurrency: 64, concurrencyPerWorker: 64 });

async function run(count: number, options: Partial<ControllerOptions>) {
  const owner = new AbortController();
  let awaited = 0;
  let all = Promise.withResolvers<void>();
  const { concurrency = 1, concurrencyPerWorker = 1 } = options;
  const controller = new Controller(new URL("./_queue_reconcile.ts", import.meta.url), {
    ...options,
    signal: owner.signal,
    minWorkers: concurrency / concurrencyPerWorker,
    onEvent(event) {
      if (event.type !== "reconcile-ended") return;
      if (event.run.outcome !== "succeeded") all.reject(event.run.error);
      else if (--awaited === 0) all.resolve();
    },
  });
  const reconcileAll = async (keys: string[]): Promise<void> => {
    awaited = keys.length;
    all = Promise.withResolvers();
    for (const key of keys) controller.add(key);
    await all.promise;
  };
  // Until every worker is there, and has done something.
  await reconcileAll(makeKeys(1_000));
  const keys = makeKeys(count);
  const sample = await timed(count, () => reconcileAll(keys));
  await controller.close();
  return sample;
}
