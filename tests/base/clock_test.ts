import { assert, assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { systemClock } from "../../src/base/clock.ts";

const LONGEST = 2 ** 31 - 1;

/** Fails as Deno does: a delay that does not fit 31 bits would fire at once. */
function watchDelays(): Disposable & { delays: number[] } {
  const { setTimeout } = globalThis;
  const delays: number[] = [];
  globalThis.setTimeout = ((callback: () => void, delay: number) => {
    delays.push(delay);
    return setTimeout(callback, delay > LONGEST || delay < 0 ? 0 : delay);
  }) as typeof setTimeout;
  return { delays, [Symbol.dispose]: () => void (globalThis.setTimeout = setTimeout) };
}

Deno.test("systemClock fires once, and exactly when a delay beyond 31 bits is over", () => {
  for (const delay of [LONGEST, LONGEST + 1, 2 * LONGEST, 3 * LONGEST + 12_345]) {
    using time = new FakeTime(0);
    using watch = watchDelays();
    let calls = 0;
    systemClock.setTimer(() => calls++, delay);
    time.tick(delay - 1);
    assertEquals(calls, 0, `${delay} fired early`);
    time.tick(1);
    assertEquals(calls, 1, `${delay} did not fire`);
    time.tick(4 * LONGEST);
    assertEquals(calls, 1);
    assert(watch.delays.every((each) => each >= 0 && each <= LONGEST));
  }
});

Deno.test("systemClock fires at the next turn for 0, negative delays and -Infinity", () => {
  for (const delay of [0, -1, -0, -Infinity]) {
    using time = new FakeTime(0);
    using _watch = watchDelays();
    let calls = 0;
    systemClock.setTimer(() => calls++, delay);
    assertEquals(calls, 0, "not in the same turn");
    time.tick(0);
    assertEquals(calls, 1);
  }
});

Deno.test("systemClock never fires a timer of Infinity, and it can be disposed of", () => {
  using time = new FakeTime(0);
  using watch = watchDelays();
  let calls = 0;
  const timer = systemClock.setTimer(() => calls++, Infinity);
  time.tick(10 * LONGEST);
  assertEquals(calls, 0);
  timer[Symbol.dispose]();
  const armed = watch.delays.length;
  time.tick(10 * LONGEST);
  assertEquals(watch.delays.length, armed, "a disposed timer was armed again");
});

Deno.test("systemClock forgets a timer that is disposed of, also between two steps", () => {
  using time = new FakeTime(0);
  let calls = 0;
  const early = systemClock.setTimer(() => calls++, 10);
  early[Symbol.dispose]();
  early[Symbol.dispose]();
  const long = systemClock.setTimer(() => calls++, 2 * LONGEST);
  time.tick(LONGEST + 5);
  long[Symbol.dispose]();
  time.tick(3 * LONGEST);
  assertEquals(calls, 0);
});

Deno.test("systemClock takes a late disposal for nothing, and spares other timers", () => {
  using time = new FakeTime(0);
  const calls: string[] = [];
  const first = systemClock.setTimer(() => calls.push("first"), 1);
  time.tick(1);
  systemClock.setTimer(() => calls.push("second"), 1);
  first[Symbol.dispose]();
  time.tick(1);
  assertEquals(calls, ["first", "second"]);
});

Deno.test("systemClock.setTimer() leaves nothing behind once it is disposed of", () => {
  // The sanitizers of this test are the assertion.
  for (const delay of [0, 5, LONGEST + 1, Infinity]) {
    systemClock.setTimer(() => {}, delay)[Symbol.dispose]();
  }
});
