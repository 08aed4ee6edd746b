import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { ClosedError } from "../../src/base/errors.ts";
import { WorkLeftError } from "../../src/reconcile/work_left.ts";
import { isPending, makeQueue, settle, takeAll } from "./_queue.ts";

/** Two in hand, one of them added again; two queued, one delayed. */
function busy() {
  const test = makeQueue();
  const { queue } = test;
  for (const key of ["a", "b", "c", "d"]) queue.add(key);
  const items = [queue.tryTake()!, queue.tryTake()!] as const;
  queue.add("a");
  queue.addAfter("e", 1_000);
  return { ...test, items };
}

Deno.test("Q6: stop now waits for nobody, and says what was left", async () => {
  const { queue, clock } = busy();
  assertEquals(await queue.stop("now"), {
    mode: "now",
    queued: ["a", "c", "d"],
    delayed: ["e"],
    inHand: ["a", "b"],
  });
  await queue.finished;
  assertEquals([queue.size, queue.delayed, clock.timers], [0, 0, 0]);
});

Deno.test("stop finish hands out nothing more, and waits for what is in hand", async () => {
  const { queue, items } = busy();
  const stopped = queue.stop("finish");
  assertEquals(takeAll(queue), []);
  await assertRejects(() => queue.take(), ClosedError);
  items[0].done();
  assert(await isPending(stopped));
  items[1].done();
  assertEquals(await stopped, {
    mode: "finish",
    queued: ["a", "c", "d"],
    delayed: ["e"],
    inHand: [],
  });
});

Deno.test("Q7 and Q9: a drain is done when nothing is queued and nothing in hand", async () => {
  const { queue, items } = busy();
  const stopped = queue.stop("drain");
  assertEquals(takeAll(queue), ["c", "d"]);
  items[1].done();
  assert(await isPending(stopped), "one is in hand, and was added again");
  const waiting = queue.take();
  items[0].done();
  const again = await waiting;
  assertEquals(again.key, "a");
  assert(await isPending(stopped));
  again.done();
  assertEquals(await stopped, { mode: "drain", queued: [], delayed: ["e"], inHand: [] });
  await assertRejects(() => queue.take(), ClosedError, "the queue was stopped");
});

Deno.test("Q9: a drain of what is queued waits though nothing is in hand", async () => {
  using test = makeQueue();
  for (const key of ["a", "b", "c"]) test.queue.add(key);
  const stopped = test.queue.stop("drain");
  assert(await isPending(stopped));
  assertEquals(takeAll(test.queue), ["a", "b", "c"]);
  assertEquals((await stopped).queued, []);
});

Deno.test("Q9: a worker that never lets go holds a stop up to the deadline, and is named", async () => {
  const { queue, clock } = busy();
  const stopped = queue.stop("drain", { deadline: { seconds: 5 } });
  clock.advance(4_999);
  assert(await isPending(stopped));
  clock.advance(1);
  const error = await stopped.catch((error) => error);
  assertInstanceOf(error, WorkLeftError);
  assertEquals(error.left.inHand, ["a", "b"]);
  assertEquals(error.left.queued, ["a", "c", "d"]);
  assertEquals(
    error.message,
    "Cannot drain work queue within 5000 ms: there was work left: received 2 in hand (a, b), " +
      "3 queued (a, c, d)",
  );
  await queue.finished;
  assertEquals(clock.timers, 0);
});

Deno.test("Q8: a second call escalates, and releases who waited for the first", async () => {
  const { queue } = busy();
  const drained = queue.stop("drain");
  const finished = queue.stop("finish");
  assertEquals(takeAll(queue), [], "nothing is handed out any more");
  assert(await isPending(Promise.race([drained, finished])));
  const left = await queue.stop("now");
  assertEquals(left.mode, "now");
  assertEquals(await drained, left);
  assertEquals(await finished, left);
  assertEquals(await queue.stop("drain"), left, "a weaker one joins");
  await queue.close();
});

Deno.test("a further call can shorten the deadline, not lengthen it", async () => {
  const { queue, clock } = busy();
  const stopped = queue.stop("finish", { deadline: 10_000 });
  queue.stop("drain", { deadline: Infinity });
  queue.stop("drain", { deadline: 1_000 });
  assertEquals(clock.timers, 1);
  clock.advance(1_000);
  await assertRejects(() => stopped, WorkLeftError, "Cannot finish work queue within 1000 ms");
});

Deno.test("P10: every take(), waiting or new, is released in the turn of the stop", async () => {
  using test = makeQueue();
  const { queue } = test;
  const reason = new Error("enough");
  const ends: unknown[] = [];
  for (let index = 0; index < 100; index++) queue.take().catch((error) => ends.push(error));
  queue.stop("now", { reason });
  queue.take().catch((error) => ends.push(error));
  assertEquals(queue.tryTake(), undefined);
  await settle();
  assertEquals(ends, Array(101).fill(reason));
});

Deno.test("P10: 50 rounds of 20 workers that are stopped while keys are handed out", async () => {
  for (let round = 0; round < 50; round++) {
    using test = makeQueue();
    const { queue } = test;
    const workers = Array.from({ length: 20 }, async () => {
      while (true) {
        using _item = await queue.take();
        for (let turn = 0; turn < round % 5; turn++) await Promise.resolve();
      }
    });
    const ends = Promise.allSettled(workers);
    for (let index = 0; index < 100; index++) {
      queue.add(`${index}`);
      if (index % 10 === round % 10) await Promise.resolve();
    }
    await Promise.all([queue.stop((["now", "finish", "drain"] as const)[round % 3]!), ends]);
    assertEquals(queue.inHand, 0);
  }
});

Deno.test("the owner's abort is a stop now with its reason, seen at once", async () => {
  const { queue, owner, clock } = busy();
  const drained = queue.stop("drain");
  const reason = new Error("shutdown");
  owner.abort(reason);
  assertEquals([queue.add("x"), queue.tryTake()], [false, undefined]);
  assertEquals(await queue.take().catch((error) => error), reason);
  assertEquals((await drained).mode, "now");
  await queue.finished;
  assertEquals([queue.signal.reason, clock.timers], [reason, 0]);
});

Deno.test("pause() keeps the queue, and resume() serves those who wait", async () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.pause();
  queue.add("a");
  queue.addAfter("b", 10);
  const taken = Promise.all([queue.take(), queue.take()]);
  clock.advance(10);
  assert(await isPending(taken));
  assertEquals([queue.size, queue.paused, queue.tryTake()], [2, true, undefined]);
  queue.resume();
  assertEquals((await taken).map(({ key }) => key), ["a", "b"]);
  for (const item of await taken) item.done();
});

Deno.test("a pause holds in a drain, which ends with what is in hand and says what is left", async () => {
  const { queue, items, clock } = busy();
  queue.pause();
  const drained = queue.stop("drain", { deadline: Infinity });
  const waiting = queue.take();
  assertEquals([queue.paused, takeAll(queue)], [true, []]);
  items[0].done();
  assert(await isPending(Promise.race([drained, waiting])), "one is in hand");
  items[1].done();
  assertEquals(await drained, {
    mode: "drain",
    queued: ["a", "c", "d"],
    delayed: ["e"],
    inHand: [],
  });
  await assertRejects(() => waiting, ClosedError);
  assertEquals(clock.timers, 0);
});

Deno.test("a drain goes on after resume(), and a pause ends one in which nothing is in hand", async () => {
  const { queue, items } = busy();
  queue.pause();
  const drained = queue.stop("drain");
  queue.resume();
  assertEquals(takeAll(queue), ["c", "d"]);
  for (const item of items) item.done();
  assert(await isPending(drained), "one came again");
  queue.pause();
  assertEquals((await drained).queued, ["a"]);
});

Deno.test("a snapshot says how a queue stops, and how it has stopped", async () => {
  using test = makeQueue();
  const { queue } = test;
  assertEquals(queue.snapshot().stopping, undefined);
  queue.add("a");
  const stopped = queue.stop("drain");
  assertEquals(queue.snapshot().stopping, "drain");
  takeAll(queue);
  await stopped;
  assertEquals(queue.snapshot().stopping, "drain");
});

Deno.test("a drain hands out what is due, though its timer has not had its turn", async () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.addAfter("due", 5);
  queue.addAfter("later", 7);
  Object.defineProperty(clock, "monotonic", { value: () => 6 });
  const stopped = queue.stop("drain");
  assertEquals(takeAll(queue), ["due"]);
  assertEquals((await stopped).delayed, ["later"]);
});
