import { FakeClock } from "../../src/testing/fake_clock.ts";
import { WorkQueue } from "../../src/reconcile/work_queue.ts";
import type { WorkQueueOptions } from "../../src/reconcile/work_queue_options.ts";

/** A queue with its own clock and owner; it stops at the end of the test. */
export interface TestQueue extends Disposable {
  readonly queue: WorkQueue;
  readonly clock: FakeClock;
  readonly owner: AbortController;
}

/** Makes a queue of strings. */
export function makeQueue(options: Partial<WorkQueueOptions<string>> = {}): TestQueue {
  const clock = new FakeClock();
  const owner = new AbortController();
  const queue = new WorkQueue({ signal: owner.signal, clock, ...options });
  return { queue, clock, owner, [Symbol.dispose]: () => owner.abort() };
}

/** Takes one after the other, and lets go of each: what comes in which order. */
export function takeAll(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let item = queue.tryTake(); item !== undefined; item = queue.tryTake()) {
    keys.push(item.key);
    item.done();
  }
  return keys;
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** Whether a promise is still open, once all that waits only for its turn has run. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const end = () => void (pending = false);
  promise.then(end, end);
  await settle();
  return pending;
}
