import { WorkQueue } from "../src/reconcile/work_queue.ts";
import { type Clock, systemClock } from "../src/base/clock.ts";
import { heapUsed, makeKeys, type QueueJob, timed } from "./_queue_jobs.ts";

/** One consumer, 1,000 keys queued at a time. */
export const batches: QueueJob = (count) => run(count, 1_000, takeEach);

/** The same, with `using`. */
export const using: QueueJob = (count) => run(count, 1_000, useEach);

/** The same, for those who look by themselves and need no promise. */
export const looking: QueueJob = (count) => run(count, 1_000, lookForEach);

/** One consumer, and all keys are queued before it begins. */
export const atOnce: QueueJob = (count) => run(count, count, takeEach);

async function takeEach(queue: WorkQueue): Promise<void> {
  while (queue.size > 0) (await queue.take()).done();
}

async function useEach(queue: WorkQueue): Promise<void> {
  while (queue.size > 0) {
    using _item = await queue.take();
  }
}

function lookForEach(queue: WorkQueue): void {
  for (let item = queue.tryTake(); item !== undefined; item = queue.tryTake()) item.done();
}

async function run(count: number, batch: number, consume: (queue: WorkQueue) => unknown) {
  using test = open();
  const { queue } = test;
  const keys = makeKeys(count);
  return await timed(count, async () => {
    for (let start = 0; start < count; start += batch) {
      for (let index = start; index < start + batch && index < count; index++) {
        queue.add(keys[index]!);
      }
      await consume(queue);
    }
  });
}

/** Adds keys again that are queued. */
export const dedup: QueueJob = async (count) => {
  using test = open();
  const { queue } = test;
  const keys = makeKeys(Math.min(count, 1_000));
  for (const key of keys) queue.add(key);
  return await timed(count, () => {
    for (let added = 0; added < count;) {
      for (let index = 0; index < keys.length && added < count; index++, added++) {
        queue.add(keys[index]!);
      }
    }
  });
};

/** Adds keys with delays of up to an hour, in no order. */
export const delayed: QueueJob = async (count) => {
  let timers = 0;
  const clock: Clock = {
    ...systemClock,
    setTimer(callback, delay) {
      timers++;
      const timer = systemClock.setTimer(callback, delay);
      return {
        [Symbol.dispose]() {
          timers--;
          timer[Symbol.dispose]();
        },
      };
    },
  };
  using test = open(clock);
  const { queue } = test;
  const keys = makeKeys(count);
  const before = heapUsed();
  const sample = await timed(count, () => {
    for (let index = 0; index < count; index++) {
      queue.addAfter(keys[index]!, 600_000 + (index * 7_919) % 3_000_017);
    }
  });
  const bytes = (heapUsed() - before) / count;
  if (queue.delayed !== count) throw new Error("Cannot trust the bench: keys were lost");
  return { ...sample, bytes, timers };
};

/** 100 wait, and each key goes to one of them. */
export const contended: QueueJob = async (count) => {
  using test = open();
  const { queue } = test;
  const keys = makeKeys(count);
  let done = 0;
  const all = Promise.withResolvers<void>();
  for (let taker = 0; taker < 100; taker++) {
    void (async () => {
      while (true) {
        (await queue.take()).done();
        if (++done === count) all.resolve();
      }
    })().catch(() => {});
  }
  return await timed(count, async () => {
    for (let index = 0; index < count; index++) {
      queue.add(keys[index]!);
      if (index % 100 === 99) await Promise.resolve();
    }
    await all.promise;
  });
};

function open(clock: Clock = systemClock): Disposable & { queue: WorkQueue } {
  const owner = new AbortController();
  return {
    queue: new WorkQueue({ signal: owner.signal, clock }),
    [Symbol.dispose]: () => owner.abort(),
  };
}
