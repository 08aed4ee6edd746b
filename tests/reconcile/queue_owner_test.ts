import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { exponentialLimiter } from "../../src/reconcile/exponential_limiter.ts";
import { WorkQueue } from "../../src/reconcile/work_queue.ts";
import { leakGuard } from "../../src/testing/leak_guard.ts";
import { LeakError } from "../../src/testing/leak_error.ts";
import { testOwner } from "../../src/testing/test_owner.ts";
import { makeQueue } from "./_queue.ts";

Deno.test("a queue that nobody stops is a leak, with the line that made it", async (t) => {
  const owner = new AbortController();
  const guard = leakGuard(t, { wait: 0 });
  const queue = new WorkQueue({ signal: owner.signal });
  queue.add("a");
  const error = await assertRejects(() => guard[Symbol.asyncDispose](), LeakError);
  assertStringIncludes((error as Error).message, "work queue");
  assertStringIncludes((error as Error).message, "queue_owner_test.ts");
  await queue.close();
});

Deno.test("a queue with delayed keys ends with its owner, timer and all", async (t) => {
  await using _guard = leakGuard(t);
  await using owner = testOwner(t);
  const queue = new WorkQueue({ signal: owner.signal });
  queue.addAfter("a", { hours: 1 });
  void queue.take(owner.signal).catch(() => {});
});

Deno.test("1,000 queues under one signal end with one abort", async (t) => {
  await using _guard = leakGuard(t);
  const owner = new AbortController();
  const queues = Array.from({ length: 1_000 }, () => new WorkQueue({ signal: owner.signal }));
  for (const queue of queues) queue.addAfter("a", 1_000);
  const waiting = queues.map((queue) => queue.take().catch((reason) => reason));
  owner.abort();
  assert((await Promise.all(waiting)).every((reason) => reason === owner.signal.reason));
  await Promise.all(queues.map(({ finished }) => finished));
});

Deno.test("a queue under a signal that has aborted is stopped already", async (t) => {
  await using _guard = leakGuard(t);
  const reason = new Error("shutdown");
  const queue = new WorkQueue({ signal: AbortSignal.abort(reason) });
  assertEquals([queue.add("a"), queue.tryTake()], [false, undefined]);
  assertEquals(await queue.take().catch((error) => error), reason);
  assertEquals((await queue.stop()).mode, "now");
  await queue.finished;
});

Deno.test("await using closes a queue, once what is in hand is done", async (t) => {
  await using _guard = leakGuard(t);
  const owner = new AbortController();
  let done = false;
  {
    await using queue = new WorkQueue({ signal: owner.signal });
    queue.add("a");
    const item = await queue.take();
    setTimeout(() => {
      done = true;
      item.done();
    }, 0);
  }
  assert(done);
});

Deno.test("a snapshot says what is where, and since when", () => {
  using test = makeQueue({ name: "pods", rateLimiter: exponentialLimiter({ base: 7 }) });
  const { queue, clock } = test;
  clock.setNow(1_000_000);
  queue.add("in hand", { priority: 3 });
  clock.advance(10);
  const item = queue.tryTake()!;
  assertEquals(item.waited, 10);
  queue.add("in hand");
  queue.add("queued", { priority: 2 });
  queue.addRateLimited("delayed", { priority: 1 });
  queue.pause();
  clock.advance(5);
  const snapshot = queue.snapshot();
  assertEquals(snapshot, {
    name: "pods",
    paused: true,
    stopping: undefined,
    waiting: 0,
    queued: [{ key: "queued", priority: 2, since: 1_000_010 }],
    delayed: [{ key: "delayed", priority: 1, due: 1_000_017 }],
    inHand: [{ key: "in hand", priority: 3, since: 1_000_010, again: true }],
    counters: { added: 4, deduplicated: 0, retried: 1, refused: 0, taken: 1, done: 0 },
  });
  queue.stop("drain");
  assertEquals(queue.snapshot().stopping, "drain");
});

Deno.test("the status of a key says where it is, as the snapshot does", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  const nowhere = { queued: undefined, delayed: undefined, inHand: undefined };
  queue.add("a", { priority: 3 });
  queue.addAfter("b", 1_000);
  queue.defer("c", 1_000);
  const { queued: [a], delayed: [b] } = queue.snapshot();
  assertEquals(queue.status("a"), { ...nowhere, queued: a });
  assertEquals(queue.status("b"), { ...nowhere, delayed: b });
  assertEquals([queue.status("c"), queue.status("d")], [nowhere, nowhere]);
  clock.advance(1_000);
  const item = queue.tryTake()!;
  queue.add("a");
  const { inHand: [inHand] } = queue.snapshot();
  assertEquals(queue.status("a"), { ...nowhere, inHand });
  assertEquals(inHand?.again, true);
  item.done();
  const again = queue.snapshot().queued.find(({ key }) => key === "a");
  assertEquals(queue.status("a"), { ...nowhere, queued: again });
  queue.stop("now");
  assertEquals(queue.status("a"), nowhere);
});

Deno.test("the status of each of 100,000 keys: none looks at all the others", () => {
  using test = makeQueue();
  const { queue } = test;
  for (let index = 0; index < 100_000; index++) queue.add(`${index}`);
  // Some minutes, if each did.
  for (let index = 0; index < 100_000; index++) {
    assert(queue.status(`${index}`).queued !== undefined);
  }
});

Deno.test("what a key that came again waited counts from when it was added again", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.add("a");
  const item = queue.tryTake()!;
  queue.add("a");
  clock.advance(25);
  item.done();
  assertEquals(queue.tryTake()!.waited, 25);
});
