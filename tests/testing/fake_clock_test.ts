import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { FakeClock } from "../../src/testing/fake_clock.ts";

/** A clock and what its timers wrote, with the time. */
function make(now?: number | string): {
  clock: FakeClock;
  log: string[];
  set: (name: string, delay: number, then?: () => void) => Disposable;
} {
  const clock = new FakeClock(now);
  const log: string[] = [];
  const set = (name: string, delay: number, then?: () => void): Disposable =>
    clock.setTimer(() => {
      log.push(`${name} ${clock.monotonic()}`);
      then?.();
    }, delay);
  return { clock, log, set };
}

Deno.test("FakeClock begins at 0, at a number, a text or a Date, and stands still", () => {
  const moment = Date.UTC(2030, 0, 1);
  assertEquals(new FakeClock().now(), 0);
  for (const now of [moment, "2030-01-01", new Date(moment)]) {
    const clock = new FakeClock(now);
    assertEquals([clock.now(), clock.monotonic(), clock.timers], [moment, 0, 0]);
    assertEquals(clock.now(), moment);
  }
});

Deno.test("FakeClock fires timers at their time, equal ones in the order they were set", () => {
  const { clock, log, set } = make();
  set("c", 30);
  set("a", 10);
  set("b1", 20);
  set("b2", 20);
  clock.advance(9.5);
  assertEquals(log, []);
  clock.advance(0.5);
  assertEquals(log, ["a 10"]);
  set("b3", 10);
  clock.advance(100);
  assertEquals(log, ["a 10", "b1 20", "b2 20", "b3 20", "c 30"]);
  assertEquals([clock.monotonic(), clock.now(), clock.timers], [110, 110, 0]);
});

Deno.test("FakeClock fires timers that timers set, in the same advance, at their own time", () => {
  const { clock, log, set } = make();
  const tick = (): void => void set("tick", 10, tick);
  tick();
  set("other", 25);
  clock.advance(40);
  assertEquals(log, ["tick 10", "tick 20", "other 25", "tick 30", "tick 40"]);
  assertEquals(clock.timers, 1);
});

Deno.test("FakeClock never fires inside of setTimer, also for 0 and less", () => {
  const { clock, log, set } = make();
  clock.advance(5);
  for (const delay of [0, -1, -Infinity]) set(`${delay}`, delay);
  assertEquals(log, []);
  clock.advance(0);
  assertEquals(log, ["0 5", "-1 5", "-Infinity 5"]);
});

Deno.test("FakeClock never fires a timer of Infinity", () => {
  const { clock, log, set } = make();
  const timer = set("never", Infinity);
  clock.advance(1e12);
  assertEquals([log.length, clock.timers], [0, 1]);
  timer[Symbol.dispose]();
  assertEquals(clock.timers, 0);
});

Deno.test("FakeClock forgets a timer that is disposed of: before, twice, late, by another timer", () => {
  const { clock, log, set } = make();
  const before = set("before", 5);
  before[Symbol.dispose]();
  before[Symbol.dispose]();
  const victim = set("victim", 20);
  set("killer", 20, () => victim[Symbol.dispose]());
  const early = set("early", 10, () => victim[Symbol.dispose]());
  clock.advance(10);
  early[Symbol.dispose]();
  clock.advance(50);
  assertEquals(log, ["early 10", "killer 20"]);
  assertEquals(clock.timers, 0);
});

Deno.test("FakeClock moves both clocks together, and setNow() the wall alone", () => {
  const { clock, log, set } = make("2030-01-01");
  set("steady", 100);
  clock.advance(40);
  clock.setNow("2020-01-01T00:00:00Z");
  assertEquals([clock.now(), clock.monotonic()], [Date.UTC(2020, 0, 1), 40]);
  assertEquals(log, [], "no timer fires for it");
  clock.advance(60);
  assertEquals(log, ["steady 100"]);
  assertEquals(clock.now(), Date.UTC(2020, 0, 1) + 60);
});

Deno.test("FakeClock shows its timers the wall time that they are at", () => {
  const clock = new FakeClock(1_000);
  const seen: number[] = [];
  clock.setTimer(() => seen.push(clock.now()), 5);
  clock.setTimer(() => clock.setNow(50_000), 6);
  clock.setTimer(() => seen.push(clock.now()), 8);
  clock.advance(10);
  assertEquals(seen, [1_005, 50_002]);
  assertEquals(clock.now(), 50_004);
});

Deno.test("FakeClock never goes back, also when a timer advances it further than asked", () => {
  const { clock, log, set } = make(1_000);
  set("outer", 5, () => clock.advance(100));
  set("inner", 50);
  clock.advance(10);
  assertEquals(log, ["outer 5", "inner 50"]);
  assertEquals([clock.monotonic(), clock.now()], [105, 1_105]);
});

Deno.test("FakeClock keeps its place when a timer throws: the others are not lost", () => {
  const { clock, log, set } = make();
  clock.setTimer(() => {
    throw new Error("in a timer");
  }, 5);
  set("next", 8);
  assertThrows(() => clock.advance(10), Error, "in a timer");
  assertEquals([clock.monotonic(), clock.timers], [5, 1]);
  clock.advance(5);
  assertEquals(log, ["next 8"]);
});

Deno.test("FakeClock refuses to go back, nowhere or for ever, and stays as it is", () => {
  const { clock, log, set } = make(1_000);
  set("x", 5);
  for (const step of [-1, -0.001, NaN, Infinity, -Infinity]) {
    const error = assertThrows(() => clock.advance(step), RangeError, "Cannot advance");
    assertStringIncludes(error.message, String(step));
    assertThrows(() => clock.stall(step), RangeError, String(step));
  }
  assertEquals([clock.monotonic(), clock.now(), log.length], [0, 1_000, 0]);
});

Deno.test("FakeClock refuses what is no date", () => {
  const clock = new FakeClock(1_000);
  for (const date of ["yesterday", NaN, Infinity, new Date(NaN), ""]) {
    assertThrows(() => new FakeClock(date), TypeError, "expected a date");
    assertThrows(() => clock.setNow(date), TypeError, "expected a date");
  }
  assertEquals(clock.now(), 1_000);
});

Deno.test("FakeClock goes through a year of hourly timers without drift", () => {
  const clock = new FakeClock("2030-01-01");
  let fired = 0;
  const arm = (): void =>
    void clock.setTimer(() => {
      fired++;
      assert(clock.monotonic() === fired * 3_600_000);
      arm();
    }, 3_600_000);
  arm();
  clock.advance(365 * 86_400_000);
  assertEquals(fired, 8_760);
  assertEquals(new Date(clock.now()).toISOString(), "2031-01-01T00:00:00.000Z");
});

Deno.test("FakeClock.stall() fires late what became due meanwhile, in its order, and nothing else", () => {
  const { clock, log, set } = make(1_000);
  set("b", 20);
  set("a", 10, () => set("from a", 5));
  set("later", 101);
  clock.stall(100);
  assertEquals(log, ["a 100", "b 100"]);
  assertEquals([clock.monotonic(), clock.now(), clock.timers], [100, 1_100, 2]);
  clock.advance(5);
  assertEquals(log.slice(2), ["later 101", "from a 105"]);
});
