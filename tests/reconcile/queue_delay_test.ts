import { assertEquals } from "@std/assert";
import { fastSlowLimiter } from "../../src/reconcile/fast_slow_limiter.ts";
import { makeQueue, settle, takeAll } from "./_queue.ts";

const HOUR = 3_600_000;

Deno.test("D1: addAfter() is ready after its time; zero and less is now", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.addAfter("now", 0);
  queue.addAfter("before", -5);
  queue.addAfter("later", 50);
  assertEquals(takeAll(queue), ["now", "before"]);
  clock.advance(49);
  assertEquals(takeAll(queue), []);
  clock.advance(1);
  assertEquals(takeAll(queue), ["later"]);
});

for (const [first, second] of [[50, 70], [50, 30]] as const) {
  Deno.test(`D2: of two delays the earlier wins, and the key comes once: ${first}, ${second}`, () => {
    using test = makeQueue();
    const { queue, clock } = test;
    queue.addAfter("foo", first);
    queue.addAfter("foo", second);
    const earlier = Math.min(first, second);
    clock.advance(earlier - 1);
    assertEquals(takeAll(queue), []);
    clock.advance(1);
    assertEquals(takeAll(queue), ["foo"]);
    clock.advance(HOUR);
    assertEquals(takeAll(queue), []);
  });
}

Deno.test("D3: delayed keys come by their time, also when nobody looked for long", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.addAfter("first", 1_000);
  queue.addAfter("second", 500);
  queue.addAfter("third", 250);
  queue.addAfter("fourth", 250);
  clock.stall(HOUR);
  assertEquals(takeAll(queue), ["third", "fourth", "second", "first"]);
});

Deno.test("P5: an immediate add replaces a pending delay, and the key comes once", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.addAfter("foo", 60_000);
  queue.add("foo");
  assertEquals([queue.size, queue.delayed], [1, 0]);
  queue.addAfter("foo", HOUR);
  assertEquals(takeAll(queue), ["foo"]);
  clock.advance(2 * HOUR);
  assertEquals(takeAll(queue), []);
});

Deno.test("P5: the earliest time counts for a key in hand, too", async () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.add("foo");
  const item = await queue.take();
  queue.addAfter("foo", HOUR);
  queue.addAfter("foo", 1_000);
  item.done();
  assertEquals([queue.size, queue.delayed], [0, 1]);
  clock.advance(1_000);
  const again = queue.tryTake()!;
  assertEquals([again.key, again.waited], ["foo", 0]);
  queue.addAfter("foo", HOUR);
  queue.add("foo");
  again.done();
  assertEquals(takeAll(queue), ["foo"]);
  assertEquals(queue.delayed, 0);
});

Deno.test("P8: size counts what is ready only", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.add("a");
  queue.add("b");
  queue.addAfter("c", HOUR);
  queue.addAfter("d", HOUR);
  assertEquals([queue.size, queue.delayed], [2, 2]);
  clock.advance(HOUR);
  assertEquals([queue.size, queue.delayed], [4, 0]);
});

Deno.test("P1: with a delay and a rate limit the shorter one counts", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.add("foo", { after: HOUR, rateLimited: true });
  queue.add("bar", { after: 1, rateLimited: true });
  clock.advance(1);
  assertEquals(takeAll(queue), ["bar"]);
  clock.advance(4);
  assertEquals(takeAll(queue), ["foo"]);
  assertEquals([queue.failures("foo"), queue.failures("bar")], [1, 1]);
});

Deno.test("D7 and P9: each key has its own rate limit, until it is forgotten", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  for (let failure = 0; failure < 7; failure++) queue.addRateLimited("bar");
  clock.advance(HOUR);
  assertEquals(takeAll(queue), ["bar"]);
  queue.addRateLimited("foo");
  queue.addRateLimited("bar");
  const due = Object.fromEntries(queue.snapshot().delayed.map(({ key, due }) => [key, due - HOUR]));
  assertEquals(due, { foo: 5, bar: 640 });
  queue.forget("bar");
  assertEquals([queue.failures("bar"), queue.delayed], [0, 2], "it still waits");
});

Deno.test("a queue takes any rate limiter", () => {
  using test = makeQueue({ rateLimiter: fastSlowLimiter({ fast: 2, attempts: 1, slow: 9 }) });
  test.queue.addRateLimited("foo");
  test.clock.advance(2);
  assertEquals(takeAll(test.queue), ["foo"]);
});

Deno.test("one timer is armed however many keys wait, and none when none does", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  assertEquals(clock.timers, 0);
  for (let index = 0; index < 1_000; index++) {
    queue.addAfter(`far-${index}`, HOUR + index % 77);
    queue.addAfter(`near-${index % 10}`, 1 + index % 13);
    if (index % 5 === 0) clock.advance(1);
    if (index % 50 === 0) takeAll(queue);
    assertEquals(clock.timers, 1);
  }
  clock.advance(2 * HOUR);
  assertEquals([clock.timers, queue.delayed], [0, 0]);
  queue.addAfter("a", 5);
  queue.add("a");
  assertEquals(clock.timers, 0);
});

Deno.test("a million delayed keys hold one timer", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  for (let index = 0; index < 1_000_000; index++) {
    queue.addAfter(`${index}`, 1 + (index * 7_919) % 1_000_003);
  }
  assertEquals([clock.timers, queue.delayed], [1, 1_000_000]);
  clock.stall(1_000_003);
  assertEquals([clock.timers, queue.delayed, queue.size], [0, 0, 1_000_000]);
});

Deno.test("a take() that waits gets a key when its time comes", async () => {
  using test = makeQueue();
  const keys: string[] = [];
  test.queue.take().then(({ key }) => keys.push(key));
  test.queue.addAfter("foo", 50);
  test.clock.advance(49);
  await settle();
  assertEquals(keys, []);
  test.clock.advance(1);
  await settle();
  assertEquals(keys, ["foo"]);
});

Deno.test("an add that finds others due gives each waiting take() one key", async () => {
  using test = makeQueue();
  const { queue, clock, owner } = test;
  queue.pause();
  const taken: string[] = [];
  for (let index = 0; index < 3; index++) {
    queue.take(owner.signal).then(({ key }) => taken.push(key), () => {});
  }
  queue.addAfter("due 1", 5);
  queue.addAfter("due 2", 5);
  queue.add("ready");
  // Time goes on while the timer has not had its turn yet.
  Object.defineProperty(clock, "monotonic", { value: () => 5 });
  queue.resume();
  queue.add("added");
  await settle();
  assertEquals(taken, ["ready", "due 1", "due 2"]);
  assertEquals([queue.size, queue.inHand], [1, 3]);
});

Deno.test("an add of a key that is due, and whose timer is late, is a second add of a ready key", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.addAfter("foo", 5, { priority: 2 });
  Object.defineProperty(clock, "monotonic", { value: () => 6 });
  queue.add("foo", { priority: 1 });
  assertEquals([queue.size, queue.delayed, queue.inHand], [1, 0, 0]);
  const item = queue.tryTake()!;
  assertEquals([item.key, item.priority, item.waited], ["foo", 2, 1]);
  item.done();
  assertEquals(takeAll(queue), []);
});
