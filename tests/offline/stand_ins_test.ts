/**
 * What the stand-ins and the real packages have in common. Where JSR answers, these tests run on
 * the real ones; a difference between the two shows here.
 */
import {
  assert,
  assertAlmostEquals,
  assertArrayIncludes,
  assertEquals,
  AssertionError,
  assertNotEquals,
  assertObjectMatch,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { assertEquals as sameAssertEquals } from "@std/assert/equals";
import { abortable, deadline, pooledMap, retry, RetryError } from "@std/async";
import { delay } from "@std/async/delay";
import { FakeTime, TimeError } from "@std/testing/time";

class Point {
  #x: number;
  constructor(x: number) {
    this.#x = x;
  }
  get x(): number {
    return this.#x;
  }
}

const EQUAL: [unknown, unknown][] = [
  [0, -0],
  [NaN, NaN],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }],
  [Object.create(null), {}],
  [new Map([[{ k: 1 }, [1]]]), new Map([[{ k: 1 }, [1]]])],
  [new Set([[1], [2]]), new Set([[2], [1]])],
  [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
  [new Date(5), new Date(5)],
  [/a/g, /a/g],
  [new URL("http://a/b"), new URL("http://a/b")],
  [Temporal.Duration.from("PT1M"), Temporal.Duration.from("PT1M")],
  [new Point(1), new Point(1)],
];

const DIFFERENT: [unknown, unknown][] = [
  [1, "1"],
  [{ a: undefined }, {}],
  [{ a: 1, b: 2 }, { a: 1 }],
  [[1, 2], [2, 1]],
  [[1], { 0: 1 }],
  [new Map([["a", 1]]), new Map([["a", 2]])],
  [new Set([1, 2]), new Set([1, 3])],
  [new Uint8Array([1, 2]), new Uint8Array([1, 3])],
  [new Date(5), new Date(6)],
  [/a/g, /a/i],
  [new URL("http://a/b"), new URL("http://a/c")],
  [new Point(1), new Point(2)],
  [new Error("a"), new Error("b")],
  [null, undefined],
  [{ [Symbol.iterator]: 1 }, {}],
];

Deno.test("assertEquals() and assertNotEquals() agree on what is equal", () => {
  assertStrictEquals(sameAssertEquals, assertEquals);
  for (const [left, right] of EQUAL) {
    assertEquals(left, right);
    assertThrows(() => assertNotEquals(left, right), AssertionError);
  }
  for (const [left, right] of DIFFERENT) {
    assertNotEquals(left, right);
    assertThrows(() => assertEquals(left, right), AssertionError);
  }
  assertThrows(() => assertEquals(1, 2, "the reason"), AssertionError, "the reason");
});

Deno.test("assertEquals() ends on cycles", () => {
  const ring = () => {
    const node: { next?: unknown; value: number } = { value: 1 };
    node.next = node;
    return node;
  };
  assertEquals(ring(), ring());
  assertNotEquals(ring(), { value: 1, next: { value: 1 } });
});

Deno.test("assertThrows() and assertRejects() return the error and check its class and message", async () => {
  const error = new RangeError("too far");
  const throws = () => {
    throw error;
  };
  assertStrictEquals(assertThrows(throws, Error, "far"), error);
  assertStrictEquals(assertThrows(throws), error);
  assertThrows(() => assertThrows(throws, TypeError), AssertionError);
  assertThrows(() => assertThrows(throws, RangeError, "near"), AssertionError);
  assertThrows(() => assertThrows(() => {}), AssertionError);

  assertStrictEquals(await assertRejects(() => Promise.reject(error), RangeError, "far"), error);
  assertStrictEquals(await assertRejects(() => Promise.reject("text")), "text");
  await assertRejects(
    () => assertRejects(() => Promise.reject(error), TypeError),
    AssertionError,
  );
  await assertRejects(() => assertRejects(() => Promise.resolve()), AssertionError);
  await assertRejects(() => assertRejects(throws), AssertionError);
  await assertRejects(() => assertRejects(() => Promise.reject("text"), Error), AssertionError);
});

Deno.test("assertObjectMatch() looks only at the fields asked for", () => {
  const actual = { a: 1, b: { c: [1, { d: 2, e: 3 }], f: new Date(5) }, g: new Map([["h", 1]]) };
  assertObjectMatch(actual, { b: { c: [1, { d: 2 }], f: new Date(5) } });
  assertObjectMatch(actual, { g: new Map([["h", 1]]) });
  assertThrows(() => assertObjectMatch(actual, { b: { c: [1, { d: 3 }] } }), AssertionError);
  assertThrows(() => assertObjectMatch(actual, { missing: undefined }), AssertionError);
  assertThrows(() => assertObjectMatch({ a: [1] }, { a: [1, 2] }), AssertionError);
});

Deno.test("assertArrayIncludes() and assertAlmostEquals() agree on the limits", () => {
  assertArrayIncludes([1, { a: 1 }, 3], [{ a: 1 }, 1]);
  assertThrows(() => assertArrayIncludes([1], [2]), AssertionError);
  assertAlmostEquals(1, 1 + 1e-8);
  assertAlmostEquals(10, 12, 2);
  assertThrows(() => assertAlmostEquals(1, 1.001), AssertionError);
});

Deno.test("delay() and abortable() reject with the signal's own reason", async () => {
  const reason = new Error("mine");
  const controller = new AbortController();
  const waits = [
    delay(3_000_000_000, { signal: controller.signal }),
    abortable(new Promise(() => {}), controller.signal),
    deadline(new Promise(() => {}), Infinity, { signal: controller.signal }),
  ];
  controller.abort(reason);
  for (const wait of waits) {
    assertStrictEquals(await assertRejects(() => wait), reason);
  }
  assertStrictEquals(
    await assertRejects(() => delay(1, { signal: controller.signal })),
    reason,
  );
});

Deno.test("abortable() closes the iterable that it no longer reads", async () => {
  const controller = new AbortController();
  let closed = false;
  async function* numbers() {
    try {
      yield 1;
      yield 2;
    } finally {
      closed = true;
    }
  }
  const read: number[] = [];
  await assertRejects(
    async () => {
      for await (const number of abortable(numbers(), controller.signal)) {
        read.push(number);
        controller.abort(new Error("enough"));
      }
    },
    Error,
    "enough",
  );
  assertEquals(read, [1]);
  assert(closed);
});

Deno.test("deadline() rejects with a TimeoutError", async () => {
  using time = new FakeTime();
  const late = assertRejects(() => deadline(new Promise(() => {}), 1_000), DOMException);
  time.tick(1_000);
  assertEquals((await late).name, "TimeoutError");
});

Deno.test("retry() waits longer each time and gives up", async () => {
  using time = new FakeTime(0);
  const calls: number[] = [];
  const failing = () => {
    calls.push(Date.now());
    return Promise.reject(new Error("no"));
  };
  const given = assertRejects(
    () => retry(failing, { maxAttempts: 4, minTimeout: 100, maxTimeout: 300, jitter: 0 }),
    RetryError,
  );
  for (let step = 0; step < 10; step++) await time.tickAsync(100);
  assertEquals(((await given).cause as Error).message, "no");
  assertEquals(calls, [0, 100, 300, 600]);

  await assertRejects(() => retry(failing, { isRetriable: () => false }), Error, "no");
  await assertRejects(() => retry(failing, { maxAttempts: 0 }), RangeError);
  const signal = AbortSignal.abort(new Error("stopped"));
  await assertRejects(() => retry(failing, { signal }), Error, "stopped");
});

Deno.test("pooledMap() keeps the order and the limit, and reports failures together", async () => {
  let running = 0;
  let most = 0;
  const square = async (value: number) => {
    most = Math.max(most, ++running);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    running--;
    return value * value;
  };
  assertEquals(await Array.fromAsync(pooledMap(2, [1, 2, 3, 4], square)), [1, 4, 9, 16]);
  assertEquals(most, 2);

  const failing = (value: number) =>
    value > 1 ? Promise.reject(new Error(`no ${value}`)) : Promise.resolve(value);
  const error = await assertRejects(
    () => Array.fromAsync(pooledMap(2, [1, 2, 3, 4], failing)),
    AggregateError,
    "Cannot complete the mapping",
  );
  assertEquals(error.errors.map((one: Error) => one.message), ["no 2", "no 3"]);
});

Deno.test("FakeTime fires timers in order, at their own time", () => {
  using time = new FakeTime(1_000);
  const log: string[] = [];
  const note = (name: string) => log.push(`${name} ${Date.now()}`);
  setTimeout(note, 200, "late");
  setTimeout(() => {
    note("first");
    setTimeout(note, 50, "nested");
  }, 100);
  const interval = setInterval(note, 80, "interval");
  clearTimeout(setTimeout(note, 10, "cleared"));
  time.tick(200);
  clearInterval(interval);
  time.tick(1_000);
  assertEquals(log, [
    "interval 1080",
    "first 1100",
    "nested 1150",
    "interval 1160",
    "late 1200",
  ]);
  assertEquals([time.now, time.start, new Date().getTime()], [2_200, 1_000, 2_200]);
  assert(new Date() instanceof Date);
  assertThrows(() => time.now = 0, RangeError);
});

Deno.test("FakeTime.tickAsync() lets promises settle before it moves the clock", async () => {
  using time = new FakeTime();
  let settled = false;
  const chain = (async () => {
    await Promise.resolve();
    await delay(500);
    settled = true;
  })();
  await time.tickAsync(499);
  await time.runMicrotasks();
  assertEquals(settled, false);
  await time.tickAsync(1);
  await chain;
  assertEquals(settled, true);
});

Deno.test("FakeTime can be installed once and gives everything back", async () => {
  const before = [Date, setTimeout, clearTimeout, setInterval, clearInterval, AbortSignal.timeout];
  const time = new FakeTime();
  assertThrows(() => new FakeTime(), TimeError);
  const timeout = AbortSignal.timeout(5);
  time.tick(5);
  assertEquals(timeout.reason.name, "TimeoutError");
  setTimeout(() => {
    throw new Error("from a timer");
  }, 10);
  assertThrows(() => time.tick(50), Error, "from a timer");
  assertEquals(time.now, time.start + 15);
  assertStrictEquals(await FakeTime.restoreFor(() => setTimeout), before[1]);
  assertNotEquals(setTimeout, before[1]);
  assertEquals(time.next(), false);
  time.restore();
  const after = [Date, setTimeout, clearTimeout, setInterval, clearInterval, AbortSignal.timeout];
  assert(before.every((original, index) => original === after[index]));
  assertThrows(() => time.restore(), TimeError);
});
