import { assertEquals } from "@std/assert";
import { makeQueue, takeAll } from "./_queue.ts";

const PRIORITIES = [-10, -5, 0, 5, 10];

for (const after of [-1_000, 0, 1_000]) {
  Deno.test(`P2: higher priorities first, and each in order, after ${after} ms`, () => {
    using test = makeQueue();
    const keysOf = (priority: number) =>
      Array.from({ length: 1_000 }, (_, index) => `${priority}/${index}`);
    for (let index = 0; index < 1_000; index++) {
      for (const priority of PRIORITIES) {
        test.queue.add(`${priority}/${index}`, { priority, after });
      }
    }
    test.clock.advance(1_000);
    assertEquals(takeAll(test.queue), PRIORITIES.toReversed().flatMap(keysOf));
  });
}

Deno.test("P3: adding again keeps the higher priority, and is one add", () => {
  using test = makeQueue();
  const { queue } = test;
  queue.add("up", { priority: 1 });
  queue.add("up", { priority: 2 });
  queue.add("down", { priority: 2 });
  queue.add("down", { priority: 1 });
  queue.addAfter("later", 5, { priority: 3 });
  queue.addAfter("later", 9, { priority: 1 });
  assertEquals(queue.snapshot().counters.added, 3);
  test.clock.advance(5);
  const items = [queue.tryTake()!, queue.tryTake()!, queue.tryTake()!];
  assertEquals(items.map(({ key, priority }) => [key, priority]), [
    ["later", 3],
    ["up", 2],
    ["down", 2],
  ]);
  queue.add("up", { priority: 4 });
  queue.add("up", { priority: 3 });
  for (const item of items) item.done();
  assertEquals(queue.tryTake()!.priority, 4);
});

Deno.test("P4: a key whose priority rises stands behind its new equals", () => {
  using test = makeQueue();
  const { queue } = test;
  queue.add("foo");
  queue.add("bar", { priority: 1 });
  queue.add("foo", { priority: 1 });
  assertEquals(takeAll(queue), ["bar", "foo"]);
});

Deno.test("P6: a key that becomes ready overtakes ready ones of low priority", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.add("foo", { priority: -100 });
  queue.add("bar", { priority: -100 });
  queue.addAfter("first of its kind", 2_000, { priority: 0 });
  queue.addAfter("x", 1_000, { priority: 0 });
  queue.tryTake()!.done();
  clock.advance(1_000);
  assertEquals(queue.tryTake()!.key, "x");
  clock.advance(1_000);
  queue.add("added later", { priority: 0 });
  assertEquals(takeAll(queue), ["first of its kind", "added later", "bar"]);
});

Deno.test("P7: a key in hand is passed over, and comes before what is added after its done()", async () => {
  using test = makeQueue();
  const { queue } = test;
  queue.add("foo");
  const foo = await queue.take();
  queue.add("foo");
  queue.add("bar");
  const bar = await queue.take();
  assertEquals(bar.key, "bar");
  foo.done();
  queue.add("baz");
  assertEquals(takeAll(queue), ["foo", "baz"]);
});

Deno.test("P11: without a rate limiter it is 5 ms and doubles, for each key alone", () => {
  using test = makeQueue();
  for (let index = 0; index < 200; index++) test.queue.addRateLimited(`key-${index}`);
  test.clock.advance(5);
  assertEquals(test.queue.size, 200, "no bucket is shared");
});

Deno.test("P13: what has priority -100 comes when nothing of priority 0 is ready", () => {
  using test = makeQueue();
  const { queue } = test;
  for (let index = 0; index < 5; index++) queue.add(`listed-${index}`, { priority: -100 });
  queue.add("changed");
  assertEquals(takeAll(queue)[0], "changed");
});

Deno.test("P14: an item says its priority, so that it can be kept when the key is added again", () => {
  using test = makeQueue();
  const { queue } = test;
  queue.add("foo", { priority: 10 });
  const item = queue.tryTake()!;
  queue.add("foo", { priority: item.priority });
  item.done();
  assertEquals(queue.tryTake()!.priority, 10);
});

Deno.test("P15: a steady stream does not starve a low priority for longer than the bound", () => {
  using test = makeQueue({ ageing: 1_000 });
  const { queue, clock } = test;
  queue.add("low", { priority: -100 });
  let waited = -1;
  for (let index = 0; waited < 0; index++) {
    queue.add(`stream-${index}`);
    const item = queue.tryTake()!;
    if (item.key === "low") waited = clock.monotonic();
    item.done();
    clock.advance(10);
  }
  // 100 levels of a second each, and the one of the stream that came at that very moment.
  assertEquals(waited, 100_010);
});

Deno.test("a key comes before all that becomes ready later than the bound, and after the rest", () => {
  using test = makeQueue({ ageing: 50 });
  const { queue, clock } = test;
  queue.add("low", { priority: 1 });
  clock.advance(99);
  queue.add("in time", { priority: 3 });
  clock.advance(2);
  queue.add("too late", { priority: 3 });
  assertEquals(takeAll(queue), ["in time", "low", "too late"]);
});

Deno.test("without ageing the priority alone decides", () => {
  using test = makeQueue({ ageing: Infinity });
  const { queue, clock } = test;
  queue.add("low", { priority: -1 });
  queue.add("zero");
  clock.advance(1e12);
  queue.add("high", { priority: 1 });
  queue.add("late zero");
  assertEquals(takeAll(queue), ["high", "zero", "late zero", "low"]);
});

Deno.test("any number of priorities is served in order", () => {
  using test = makeQueue();
  const priorities = Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 5_003 + 0.5);
  for (const priority of priorities) test.queue.add(`${priority}`, { priority });
  const sorted = priorities.toSorted((a, b) => b - a).map(String);
  assertEquals(takeAll(test.queue), sorted);
});
