import { assertEquals } from "@std/assert";
import type { WorkQueue } from "../../src/reconcile/work_queue.ts";
import { makeQueue, takeAll } from "./_queue.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

/** In how many milliseconds the one delayed key is due. */
function wait(queue: WorkQueue, now: number): number {
  const { delayed } = queue.snapshot();
  assertEquals(delayed.length, 1);
  return delayed[0]!.due - now;
}

Deno.test("W1: a key that was handed out does not come again before the interval", () => {
  using test = makeQueue({ minInterval: SECOND });
  const { queue, clock } = test;
  queue.add("foo");
  assertEquals(takeAll(queue), ["foo"]);
  queue.add("foo");
  queue.add("bar");
  assertEquals([wait(queue, 0), takeAll(queue)], [SECOND, ["bar"]]);
  assertEquals(queue.snapshot().counters.taken, 2, "what had to wait is not counted as taken");
  clock.advance(SECOND);
  assertEquals(takeAll(queue), ["foo"]);
});

Deno.test("W2: the interval counts from the start of the work, not from its end", () => {
  using test = makeQueue({ minInterval: SECOND });
  const { queue, clock } = test;
  queue.add("foo");
  const item = queue.tryTake()!;
  queue.add("foo");
  clock.advance(400);
  item.done();
  assertEquals(wait(queue, clock.now()), 600);
  clock.advance(600);
  const again = queue.tryTake()!;
  clock.advance(2 * SECOND);
  queue.add("foo");
  again.done();
  assertEquals(takeAll(queue), ["foo"], "the work took longer than the interval");
});

for (const [name, delay] of [["11 s", 11 * SECOND], ["55 s", 55 * SECOND]] as const) {
  Deno.test(`W3: a deferral of ${name} holds, whenever the key is added`, () => {
    using test = makeQueue({ minInterval: SECOND });
    const { queue, clock } = test;
    queue.add("foo");
    assertEquals(takeAll(queue), ["foo"]);
    queue.defer("foo", delay);
    queue.add("foo");
    assertEquals(wait(queue, clock.now()), delay);
    clock.advance(4 * SECOND);
    queue.add("foo");
    assertEquals(wait(queue, clock.now()), delay - 4 * SECOND);
    clock.advance(delay - 4 * SECOND);
    assertEquals(takeAll(queue), ["foo"]);
  });
}

Deno.test("W3: a deferral moves a key that is ready or waits already, and the last one counts", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.add("ready");
  queue.defer("ready", 10);
  assertEquals([queue.size, wait(queue, 0)], [0, 10]);
  queue.defer("ready", 5);
  assertEquals([queue.size, wait(queue, 0)], [0, 5]);
  clock.advance(5);
  assertEquals(takeAll(queue), ["ready"]);
  queue.addAfter("waits", 5);
  queue.defer("waits", 20);
  assertEquals(wait(queue, 5), 20);
  queue.add("waits");
  assertEquals(wait(queue, 5), 20, "an immediate add does not come before it, either");
});

Deno.test("W3: a deferral that is lifted leaves a key as it would be without it", () => {
  using test = makeQueue({ minInterval: SECOND });
  const { queue, clock } = test;
  queue.add("ready");
  queue.addAfter("delayed", 5 * SECOND);
  queue.add("taken");
  queue.defer("ready", MINUTE);
  assertEquals(takeAll(queue), ["taken"]);
  for (const key of ["ready", "delayed", "taken", "unknown"]) queue.defer(key, MINUTE);
  queue.add("taken");
  assertEquals(queue.snapshot().delayed.map(({ due }) => due), [MINUTE, MINUTE, MINUTE]);
  clock.advance(100);
  for (const key of ["ready", "delayed", "taken", "unknown"]) queue.defer(key, 0);
  assertEquals(takeAll(queue), ["ready"]);
  assertEquals(
    queue.snapshot().delayed.map(({ key, due }) => [key, due]).toSorted(),
    [["delayed", 5 * SECOND], ["taken", SECOND]],
    "the interval holds all the same",
  );
  clock.advance(MINUTE);
  assertEquals(takeAll(queue).toSorted(), ["delayed", "taken"]);
  clock.advance(SECOND);
  assertEquals(clock.timers, 0);
});

Deno.test("W3: what is lifted was asked for when it was added meanwhile", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  queue.defer("unknown", MINUTE);
  queue.addAfter("unknown", 10);
  queue.addAfter("known", 20);
  queue.defer("known", MINUTE);
  queue.addAfter("known", 5);
  queue.add("in hand");
  const item = queue.tryTake()!;
  queue.defer("in hand", MINUTE);
  queue.addAfter("in hand", 15);
  item.done();
  assertEquals(queue.snapshot().delayed.map(({ due }) => due), [MINUTE, MINUTE, MINUTE]);
  for (const key of ["unknown", "known", "in hand"]) queue.defer(key, 0);
  const order: string[] = [];
  for (let time = 0; time < 20; time++) {
    clock.advance(1);
    order.push(...takeAll(queue).map((key) => `${key} at ${clock.monotonic()}`));
  }
  const start = clock.monotonic() - 20;
  assertEquals(order, [
    `known at ${start + 5}`,
    `unknown at ${start + 10}`,
    `in hand at ${start + 15}`,
  ]);
});

Deno.test("W3: a deferral by nothing puts off nobody", () => {
  using test = makeQueue();
  const { queue, clock } = test;
  clock.advance(10);
  queue.add("a");
  queue.add("b");
  queue.defer("a", 0);
  assertEquals(takeAll(queue), ["a", "b"]);
});

Deno.test("W4: a delay is raised to the limit in force, and to a deferral during the work", () => {
  using test = makeQueue({ minInterval: SECOND });
  const { queue, clock } = test;
  queue.add("foo");
  const item = queue.tryTake()!;
  queue.addAfter("foo", 1);
  item.done();
  assertEquals(wait(queue, clock.now()), SECOND);
  clock.advance(SECOND);
  const again = queue.tryTake()!;
  queue.defer("foo", 5 * SECOND);
  queue.addAfter("foo", 1);
  again.done();
  assertEquals(wait(queue, clock.now()), 5 * SECOND);
});

Deno.test("W5: a failure waits for its backoff and the interval, and both end at the cap", () => {
  using test = makeQueue({ minInterval: SECOND });
  const { queue, clock } = test;
  queue.add("foo");
  const waits: number[] = [];
  for (let failure = 0; failure < 100; failure++) {
    const item = queue.tryTake()!;
    queue.addRateLimited("foo");
    item.done();
    waits.push(Math.round(wait(queue, clock.now())));
    clock.advance(waits.at(-1)! + 1);
  }
  assertEquals(waits.slice(0, 18), [
    ...[1_005, 1_010, 1_020, 1_040, 1_080, 1_160, 1_320, 1_640, 2_280, 3_560, 6_120, 11_240],
    ...[21_480, 41_960, 82_920, 164_840, 328_680, 656_360],
  ]);
  assertEquals(waits.slice(18), Array(82).fill(1_000_000));
});

Deno.test("W6: only forget() ends a series of failures, not a wait for the interval", () => {
  using test = makeQueue({ minInterval: SECOND });
  const { queue } = test;
  queue.add("foo");
  for (const failures of [1, 2]) {
    queue.addRateLimited("foo");
    queue.defer("foo", SECOND);
    assertEquals(queue.failures("foo"), failures);
  }
  queue.forget("foo");
  assertEquals(queue.failures("foo"), 0);
});

for (const minutes of [11, 55, 24 * 60]) {
  Deno.test(`W11: an interval or a deferral of ${minutes} minutes does not end earlier`, () => {
    using test = makeQueue({ minInterval: minutes * MINUTE });
    const { queue, clock } = test;
    queue.add("interval");
    assertEquals(takeAll(queue), ["interval"]);
    queue.defer("deferred", minutes * MINUTE);
    for (let minute = 0; minute < minutes; minute++) {
      queue.add("interval");
      queue.add("deferred");
      assertEquals(queue.size, 0);
      clock.advance(MINUTE);
    }
    assertEquals(takeAll(queue).toSorted(), ["deferred", "interval"]);
  });
}

Deno.test("a queue forgets a key that waits for nothing as soon as its interval is over", () => {
  using test = makeQueue({ minInterval: SECOND });
  const { queue, clock } = test;
  for (let index = 0; index < 100; index++) queue.add(`${index}`);
  takeAll(queue);
  assertEquals([queue.delayed, queue.snapshot().delayed, clock.timers], [0, [], 1]);
  clock.advance(SECOND);
  assertEquals(clock.timers, 0);
});

Deno.test("a key that is put off keeps a deferral that was shorter than its interval", () => {
  using test = makeQueue({ minInterval: 10 * SECOND });
  const { queue, clock } = test;
  queue.add("a");
  const item = queue.tryTake()!;
  queue.defer("a", 5 * SECOND);
  item.putOff(100);
  clock.advance(5 * SECOND - 1);
  assertEquals(queue.size, 0);
  clock.advance(1);
  assertEquals(takeAll(queue), ["a"]);
});
