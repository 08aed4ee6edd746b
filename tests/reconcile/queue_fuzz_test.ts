import { assert, assertEquals } from "@std/assert";
import { ClosedError } from "../../src/base/errors.ts";
import type { WorkItem } from "../../src/reconcile/work_item.ts";
import { WorkQueue } from "../../src/reconcile/work_queue.ts";
import type { StopMode } from "../../src/reconcile/work_left.ts";
import { randomFrom } from "../support/random_from.ts";

/** Gives way to others, in one of the ways in which real code does. */
async function yieldSomehow(next: (below: number) => number): Promise<void> {
  if (next(50) === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  else await Promise.resolve();
}

/** What is known of one key from outside. */
interface Known {
  /** The highest priority since somebody saw it handed out; `undefined`: it does not wait. */
  priority: number | undefined;
  inHand: boolean;
}

const KEYS = 400;

/**
 * 10 producers of 1,000 adds each, 100 consumers, and a stop somewhere. Consumers that look by
 * themselves know at once what they were handed, so that priorities can be compared; those that wait
 * learn it a turn later, when the key may have been added again.
 */
async function fuzz(
  seed: number,
  mode: StopMode,
  stopAfter: number,
  { waits, pauses = false }: { waits: boolean; pauses?: boolean },
) {
  const next = randomFrom(seed);
  const owner = new AbortController();
  const queue = new WorkQueue({ signal: owner.signal });
  const known = new Map<string, Known>();
  let adds = 0;
  let taken = 0;
  let stopped: ReturnType<typeof queue.stop> | undefined;
  let failure: unknown;

  const add = (key: string, priority: number, after: number) => {
    const it = known.get(key) ?? { priority: undefined, inHand: false };
    known.set(key, it);
    const before = it.priority;
    it.priority = Math.max(before ?? -Infinity, priority);
    if (queue.add(key, { priority, after })) return;
    it.priority = before;
    assert(stopped !== undefined || failure !== undefined, "adds are refused only after the stop");
  };
  const produce = async () => {
    for (let index = 0; index < 1_000; index++) {
      add(`key-${next(KEYS)}`, next(5) - 2, next(4) === 0 ? next(4) : 0);
      if (++adds === stopAfter) stopped = queue.stop(mode);
      if (next(10) === 0) await yieldSomehow(next);
      if (pauses && next(20) === 0) next(2) === 0 ? queue.pause() : queue.resume();
    }
  };
  const work = async (item: WorkItem<string>) => {
    using _done = item;
    const it = known.get(item.key)!;
    assert(!it.inHand, "nobody gets what another one has");
    if (!waits) assertEquals(item.priority, it.priority, "the highest priority counts");
    it.inHand = true;
    it.priority = undefined;
    taken++;
    await yieldSomehow(next);
    if (next(20) === 0) add(item.key, item.priority, 0);
    it.inHand = false;
  };
  const consume = async () => {
    while (!queue.signal.aborted) {
      const item = waits ? await queue.take() : queue.tryTake();
      if (!waits) assert(item === undefined || !queue.paused, "a pause holds");
      if (item === undefined) await yieldSomehow(next);
      else await work(item);
    }
  };
  const consumers = Promise.all(
    Array.from({ length: 100 }, () =>
      consume().catch((error) => {
        // What an assertion throws must not pass for the end of the queue, nor make it hang.
        if (error === queue.signal.reason || error instanceof ClosedError) return;
        failure ??= error;
        void queue.stop("now");
      })),
  );
  await Promise.all(Array.from({ length: 10 }, produce));
  stopped ??= queue.stop(mode);
  const left = await stopped;
  await consumers;
  if (failure !== undefined) throw failure;
  const isLeft = new Set([...left.queued, ...left.delayed]);
  const waiting = [...known].filter(([, { priority }]) => priority !== undefined);
  assertEquals(waiting.filter(([key]) => !isLeft.has(key)), [], "this was lost");
  if (!waits) assertEquals(isLeft.size, waiting.length);
  if (mode !== "now") assertEquals(left.inHand, []);
  if (mode === "drain" && !pauses) assertEquals(left.queued, []);
  const { counters } = queue.snapshot();
  assertEquals([counters.taken, counters.done, queue.inHand], [taken, taken, 0]);
}

const MODES = ["now", "finish", "drain"] as const;

for (const waits of [true, false]) {
  for (const [index, mode] of MODES.entries()) {
    for (const stopAfter of [Infinity, 1, 1_234, 9_000]) {
      const who = waits ? "that wait" : "that look";
      Deno.test(`P12: 100 consumers ${who}, and ${mode} after ${stopAfter} adds`, async () => {
        await fuzz(
          1_000 * index + (stopAfter === Infinity ? 7 : stopAfter),
          mode,
          stopAfter,
          { waits },
        );
      });
    }
    Deno.test(`P12: ${mode} while others pause and resume it, consumers ${waits ? "" : "do not "}wait`, async () => {
      await fuzz(77 + index, mode, 4_000, { waits, pauses: true });
    });
  }
}

Deno.test("P12: a stop anywhere, from seeds that are new each time", async () => {
  for (let round = 0; round < 12; round++) {
    const seed = 1 + Math.floor(Math.random() * 2_147_483_645);
    const mode = MODES[seed % 3]!;
    const how = { waits: round % 2 === 0, pauses: round % 4 > 1 };
    try {
      await fuzz(seed, mode, 1 + seed % 10_000, how);
    } catch (error) {
      throw new Error(`seed ${seed}, ${JSON.stringify(how)}`, { cause: error });
    }
  }
});
