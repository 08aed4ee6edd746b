import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { WorkQueue } from "../../src/reconcile/work_queue.ts";
import { isPending, makeQueue, settle, takeAll } from "./_queue.ts";

Deno.test("Q1: adding a key that is queued changes nothing", () => {
  using test = makeQueue();
  for (const key of ["foo", "bar", "foo", "bar", "bar"]) assert(test.queue.add(key));
  assertEquals(test.queue.size, 2);
  assertEquals(takeAll(test.queue), ["foo", "bar"]);
  const { added, deduplicated } = test.queue.snapshot().counters;
  assertEquals([added, deduplicated], [2, 3]);
});

Deno.test("Q2: a key that is added while in hand comes once more, and to nobody else meanwhile", async () => {
  using test = makeQueue();
  const { queue } = test;
  queue.add("foo");
  const item = await queue.take();
  queue.add("foo");
  queue.add("foo");
  const other = queue.take();
  assert(await isPending(other), "the key is in hand");
  assertEquals([queue.size, queue.inHand], [0, 1]);
  item.done();
  const again = await other;
  assertEquals(again.key, "foo");
  again.done();
  assertEquals(takeAll(queue), [], "it was queued once");
});

Deno.test("Q3: keys of one priority come in the order in which they were added", () => {
  using test = makeQueue();
  const keys = Array.from({ length: 1_000 }, (_, index) => `key-${index}`);
  for (const key of keys) test.queue.add(key);
  assertEquals(takeAll(test.queue), keys);
});

Deno.test("Q4: 50 producers and 10 consumers: all of it is done, and the queue is empty", async () => {
  using test = makeQueue();
  const { queue } = test;
  const done: string[] = [];
  const consumers = Array.from({ length: 10 }, async () => {
    while (true) {
      using item = await queue.take();
      await Promise.resolve();
      done.push(item.key);
    }
  });
  const ends = Promise.allSettled(consumers);
  await Promise.all(Array.from({ length: 50 }, async (_, producer) => {
    for (let index = 0; index < 50; index++) {
      queue.add(`${producer}-${index}`);
      await Promise.resolve();
    }
  }));
  const left = await queue.stop("drain");
  assertEquals(left, { mode: "drain", queued: [], delayed: [], inHand: [] });
  assertEquals([done.length, new Set(done).size, queue.size], [2_500, 2_500, 0]);
  assert((await ends).every(({ status }) => status === "rejected"), "all were released");
});

Deno.test("Q5: adds after the stop are refused, and counted", async () => {
  using test = makeQueue();
  const { queue } = test;
  queue.add("in hand");
  const item = await queue.take();
  assert(queue.add("in hand"), "before the stop it may be added again");
  const stopped = queue.stop("drain");
  assertEquals([queue.add("late"), queue.addAfter("late", 5), queue.defer("late", 5)], [
    false,
    false,
    false,
  ]);
  item.done();
  assertEquals(takeAll(queue), ["in hand"]);
  await stopped;
  assertEquals(queue.addRateLimited("late"), false);
  assertEquals(queue.failures("late"), 0, "what is refused is no failure");
  assertEquals(queue.snapshot().counters.refused, 3);
});

Deno.test("Q10: a queue remembers nothing of a key that is done", () => {
  using test = makeQueue();
  const { queue } = test;
  for (let index = 0; index < 100; index++) queue.add(`key-${index}`, { priority: index % 7 });
  takeAll(queue);
  const { queued, delayed, inHand } = queue.snapshot();
  assertEquals([queued, delayed, inHand], [[], [], []]);
});

Deno.test("a stray or second done() lets go of nothing", async () => {
  using test = makeQueue();
  const { queue } = test;
  queue.add("foo");
  const first = await queue.take();
  first.done();
  queue.add("foo");
  const second = await queue.take();
  first.done();
  first[Symbol.dispose]();
  queue.add("foo");
  assertEquals([queue.size, queue.inHand], [0, 1], "the second one still has it");
  second.done();
  assertEquals([queue.size, queue.inHand], [1, 0]);
});

Deno.test("using lets go of a key when the block throws", async () => {
  using test = makeQueue();
  test.queue.add("foo");
  await assertRejects(
    async () => {
      using _item = await test.queue.take();
      throw new Error("failed");
    },
    Error,
    "failed",
  );
  assertEquals(test.queue.inHand, 0);
});

Deno.test("take() is released by its signal with its reason, and takes nothing then", async () => {
  using test = makeQueue();
  const { queue } = test;
  const controller = new AbortController();
  const [gone, stays] = [queue.take(controller.signal), queue.take()];
  const reason = new Error("enough");
  controller.abort(reason);
  assertEquals(await gone.catch((error) => error), reason);
  assertEquals(await queue.take(controller.signal).catch((error) => error), reason);
  queue.add("foo");
  assertEquals((await stays).key, "foo");
});

Deno.test("however many wait with one signal and however often, it is listened to once", async () => {
  using test = makeQueue();
  const { queue } = test;
  const consumer = new AbortController();
  const { signal } = consumer;
  let [added, removed] = [0, 0];
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    added++;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    removed++;
    removeEventListener.apply(signal, args);
  };
  for (let round = 0; round < 100; round++) {
    const taken = Array.from({ length: 10 }, () => queue.take(signal));
    for (let index = 0; index < 10; index++) queue.add(`${index}`);
    for (const item of await Promise.all(taken)) item.done();
  }
  assertEquals([added, removed], [1, 0]);
  // Who waits with another one is still told of its own.
  const other = new AbortController();
  const waiting = [queue.take(signal), queue.take(other.signal), queue.take(signal)];
  const ends = Promise.allSettled(waiting);
  other.abort("other");
  consumer.abort("own");
  assertEquals(
    (await ends).map((end) => end.status === "rejected" && end.reason),
    ["own", "other", "own"],
  );
  assertEquals(queue.snapshot().waiting, 0);
});

Deno.test("a queue that has stopped listens to no signal of those that waited", async () => {
  using test = makeQueue();
  const { queue } = test;
  const signals = Array.from({ length: 3 }, () => new AbortController().signal);
  let listeners = 0;
  for (const signal of signals) {
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
  }
  const ends = Promise.allSettled(signals.map((signal) => queue.take(signal)));
  queue.add("a");
  queue.add("b");
  // Two have got something, and only of the last one it is known that it may come back.
  assertEquals(listeners, 2);
  await queue.stop("now");
  await ends;
  assertEquals(listeners, 0);
});

Deno.test("an item stays what it was, however its key is added again meanwhile", () => {
  const owner = new AbortController();
  const queue = new WorkQueue<{ id: string; version: number }>({
    signal: owner.signal,
    keyOf: ({ id }) => id,
  });
  queue.add({ id: "a", version: 1 }, { priority: 1 });
  const item = queue.tryTake()!;
  queue.add({ id: "a", version: 2 }, { priority: 5 });
  queue.add({ id: "a", version: 3 });
  assertEquals([item.key.version, item.priority], [1, 1]);
  item.done();
  const next = queue.tryTake()!;
  item.done();
  assertEquals([next.key.version, next.priority, queue.inHand], [3, 5, 1]);
  owner.abort();
});

Deno.test("those that wait are served in the order in which they came", async () => {
  using test = makeQueue();
  const served: number[] = [];
  for (let index = 0; index < 5; index++) test.queue.take().then(() => served.push(index));
  for (let index = 0; index < 5; index++) test.queue.add(`key-${index}`);
  await settle();
  assertEquals(served, [0, 1, 2, 3, 4]);
});

Deno.test("keys that are no strings need keyOf, and come as they were added last", async () => {
  const owner = new AbortController();
  const queue = new WorkQueue<{ id: number; version: number }>({
    signal: owner.signal,
    keyOf: ({ id }) => `${id}`,
  });
  queue.add({ id: 1, version: 1 });
  queue.add({ id: 2, version: 1 });
  queue.add({ id: 1, version: 2 });
  assertEquals(queue.size, 2);
  assertEquals((await queue.take()).key, { id: 1, version: 2 });
  owner.abort();
  // @ts-expect-error: `keyOf` is required for such keys.
  const other = new WorkQueue<number>({ signal: owner.signal });
  assertThrows(() => other.add(5), TypeError, "received 5");
  const odd = new WorkQueue({ signal: owner.signal, keyOf: (key: number) => key as never });
  assertThrows(() => odd.add(5), TypeError, "from keyOf");
});

Deno.test("a queue without an owner is a type error, and an error", () => {
  // @ts-expect-error: `signal` is required.
  assertThrows(() => new WorkQueue({}), TypeError, "expected an AbortSignal as signal");
});

Deno.test("WorkQueue refuses options that are out of range", async () => {
  using test = makeQueue();
  await assertRejects(() => test.queue.take("x" as never), TypeError, 'received "x"');
  assertThrows(() => test.queue.add("a", { priority: NaN }), RangeError, "received NaN");
  assertThrows(() => test.queue.add("a", { after: Infinity }), RangeError, "after");
  assertThrows(() => test.queue.stop("later" as never), TypeError, 'received "later"');
  assertThrows(() => makeQueue({ minInterval: -1 }), RangeError, "minInterval");
  assertThrows(() => makeQueue({ keyOf: 5 as never }), TypeError, "as keyOf: received 5");
  assertThrows(() => makeQueue({ rateLimiter: null as never }), TypeError, "received null");
  const rateLimiter = { delay: () => NaN, failures: () => 0, forget: () => {} };
  using odd = makeQueue({ rateLimiter });
  assertThrows(() => odd.queue.addRateLimited("a"), RangeError, "rate limiter");
});
