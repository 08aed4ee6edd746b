/**
 * Queues of functions and of values. They know neither keys nor delays, so they do the plain part only.
 *
 * @module
 */

import fastq from "npm:fastq@1";
import PQueue from "npm:p-queue@8";
import { makeKeys, type QueueJob, timed } from "../_queue_jobs.ts";

/** One at a time, 1,000 queued at a time. */
export const pQueueBatches: QueueJob = (count) => runPQueue(count, 1, 1_000);

/** 100 at a time. */
export const pQueueContended: QueueJob = (count) => runPQueue(count, 100, 1_000);

/** One at a time, 1,000 queued at a time. */
export const fastqBatches: QueueJob = (count) => runFastq(count, 1, 1_000);

/** One at a time, and all are queued before. */
export const fastqAtOnce: QueueJob = (count) => runFastq(count, 1, count);

/** 100 at a time. */
export const fastqContended: QueueJob = (count) => runFastq(count, 100, 1_000);

async function runPQueue(count: number, concurrency: number, batch: number) {
  const queue = new PQueue({ concurrency });
  const keys = makeKeys(count);
  let done = 0;
  return await timed(count, async () => {
    for (let start = 0; start < count; start += batch) {
      for (let index = start; index < start + batch && index < count; index++) {
        const key = keys[index]!;
        void queue.add(() => {
          if (key.length > 0) done++;
          return Promise.resolve();
        });
      }
      await queue.onIdle();
    }
    if (done !== count) throw new Error("Cannot trust the bench: work was lost");
  });
}

async function runFastq(count: number, concurrency: number, batch: number) {
  let done = 0;
  const queue = fastq.promise((key: string) => {
    if (key.length > 0) done++;
    return Promise.resolve();
  }, concurrency);
  const keys = makeKeys(count);
  return await timed(count, async () => {
    for (let start = 0; start < count; start += batch) {
      for (let index = start; index < start + batch && index < count; index++) {
        void queue.push(keys[index]!);
      }
      await queue.drained();
    }
    if (done !== count) throw new Error("Cannot trust the bench: work was lost");
  });
}
