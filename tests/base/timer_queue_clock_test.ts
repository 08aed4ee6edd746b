import { assert, assertEquals } from "@std/assert";
import type { Clock } from "../../src/base/clock.ts";
import { TimerQueue } from "../../src/base/timer_queue.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";

function make(clock: Clock): { queue: TimerQueue<string>; log: string[] } {
  const log: string[] = [];
  const queue = new TimerQueue<string>(clock, {
    due: (item) => void log.push(item),
    jumped: (by) => void log.push(`jumped ${by}`),
  });
  return { queue, log };
}

const NOON = Date.UTC(2030, 0, 1, 12);
const HOUR = 3_600_000;

Deno.test("TimerQueue notices within 10 s that the wall clock was set past a due time", () => {
  const clock = new FakeClock(NOON);
  const { queue, log } = make(clock);
  queue.set("wall", NOON + HOUR, "wall");
  queue.set("steady", HOUR, "monotonic");
  clock.advance(60_000);
  clock.setNow(NOON + 2 * HOUR);
  clock.advance(10_000);
  assertEquals(log, ["jumped 7140000", "wall"]);
  clock.advance(HOUR - 70_001);
  assertEquals(log.length, 2, "the monotonic one is not moved");
  clock.advance(1);
  assertEquals(log[2], "steady");
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue waits anew when the wall clock was set back, and says so once", () => {
  const clock = new FakeClock(NOON);
  const { queue, log } = make(clock);
  queue.set("wall", NOON + HOUR, "wall");
  clock.advance(HOUR - 1_000);
  clock.setNow(NOON - HOUR);
  clock.advance(10_000);
  assertEquals(log, ["jumped -7199000"]);
  clock.advance(2 * HOUR - 10_001);
  assertEquals(log.length, 1);
  clock.advance(1);
  assertEquals(log[1], "wall");
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue reports a jump once, also when it is one of several", () => {
  const clock = new FakeClock(NOON);
  const { queue, log } = make(clock);
  queue.set("wall", NOON + 24 * HOUR, "wall");
  clock.setNow(NOON + HOUR);
  clock.advance(60_000);
  clock.setNow(clock.now() - 2_000);
  clock.advance(60_000);
  assertEquals(log, ["jumped 3600000", "jumped -2000"]);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue does not take small adjustments for jumps until they add up", () => {
  const clock = new FakeClock(NOON);
  const { queue, log } = make(clock);
  queue.set("wall", NOON + 24 * HOUR, "wall");
  for (let round = 0; round < 9; round++) {
    clock.setNow(clock.now() + 100);
    clock.advance(20_000);
  }
  assertEquals(log, []);
  clock.setNow(clock.now() + 100);
  clock.advance(20_000);
  assertEquals(log, ["jumped 1000"]);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue looks at an item again that is set while the wall clock is wrong", () => {
  const clock = new FakeClock(NOON);
  const { queue, log } = make(clock);
  clock.setNow(NOON + HOUR);
  queue.set("soon", NOON + HOUR + 5, "wall");
  clock.advance(5);
  assertEquals(log, ["jumped 3600000", "soon"]);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue lets its owner set new due times when it hears of a jump", () => {
  const clock = new FakeClock(NOON);
  const log: string[] = [];
  const queue: TimerQueue<string> = new TimerQueue<string>(clock, {
    due: (item) => void log.push(item),
    jumped() {
      queue.delete("old");
      queue.set("new", clock.now(), "wall");
    },
  });
  queue.set("old", NOON + HOUR, "wall");
  clock.setNow(NOON + 2 * HOUR);
  clock.advance(10_000);
  assertEquals(log, ["new"]);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue may be disposed of by its owner when it hears of a jump", () => {
  const clock = new FakeClock(NOON);
  const log: string[] = [];
  const queue: TimerQueue<string> = new TimerQueue<string>(clock, {
    due: (item) => void log.push(item),
    jumped: () => queue[Symbol.dispose](),
  });
  queue.set("wall", NOON + HOUR, "wall");
  queue.set("steady", 1, "monotonic");
  clock.setNow(NOON + 2 * HOUR);
  clock.advance(HOUR);
  assertEquals(log, []);
  assertEquals(clock.timers, 0);
});

/** A clock whose timers fire a little early, as those of real event loops do. */
class HastyClock extends FakeClock {
  armed = 0;
  override setTimer(callback: () => void, delay: number): Disposable {
    this.armed++;
    return super.setTimer(callback, delay - 0.4);
  }
}

Deno.test("TimerQueue fires nothing early though its timers do, and does not spin", () => {
  const clock = new HastyClock(NOON);
  const fired: number[] = [];
  const queue = new TimerQueue<string>(clock, {
    due: (_, due) => void fired.push(clock.monotonic() - due),
  });
  for (let index = 0; index < 100; index++) queue.set(`${index}`, index * 10.3, "monotonic");
  clock.advance(2_000);
  assertEquals(fired.length, 100);
  assert(fired.every((late) => late >= 0 && late < 1), "early, or late by a turn");
  assert(clock.armed < 400, `${clock.armed} timers for 100 items`);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue wakes at most once in 10 s for a wall time, and once a day for none", () => {
  const clock = new HastyClock(NOON);
  const { queue, log } = make(clock);
  clock.advance(10 * 24 * HOUR);
  assert(clock.armed <= 22, `${clock.armed} timers in ten idle days`);
  clock.armed = 0;
  queue.set("wall", clock.now() + HOUR, "wall");
  clock.advance(HOUR - 1);
  assertEquals(log, []);
  assert(clock.armed <= 2 + HOUR / 9_999, `${clock.armed} timers in an hour`);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue sets no new timer for an item that is only put off, and keeps no old one", () => {
  const clock = new HastyClock(NOON);
  const { queue, log } = make(clock);
  for (let due = 10; due <= 1_000; due++) queue.set("often put off", due, "monotonic");
  for (let due = 10; due <= 1_000; due++) queue.set("beside it", NOON + due, "wall");
  assert(clock.armed <= 2, `${clock.armed} timers for two items`);
  clock.advance(999);
  assertEquals(log, []);
  clock.advance(2);
  assertEquals(log.toSorted(), ["beside it", "often put off"]);
  assert(clock.armed <= 8, `${clock.armed} timers: it woke for times that were given up`);
  queue[Symbol.dispose]();
});
