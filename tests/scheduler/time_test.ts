import { assertEquals } from "@std/assert";
import { after, at, continuous, cron, every } from "../../src/schedule/mod.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

guardTests();

/** Runs the fake clock on in steps, and lets each run end before the next step. */
async function stepThrough(test: TestScheduler, step: number, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const before = test.log.all("run-ended").length;
    test.clock.advance(step);
    await test.log.until("run-ended", before + 1);
  }
}

/** Lets `Math.random` give what is said for its first call, its second, and so on. */
function withRandom(part: (call: number) => number): Disposable {
  const { random } = Math;
  let call = 0;
  Math.random = () => part(call++);
  return { [Symbol.dispose]: () => void (Math.random = random) };
}

Deno.test("every keeps its grid, whatever the runs take", async () => {
  await using test = new TestScheduler({ now: "2026-01-01T00:00:00Z" });
  const task = test.add("waits", { schedule: every(1_000), input: "return", timeout: 300 });
  for (let round = 1; round <= 4; round++) {
    test.clock.advance(round === 1 ? 1_000 : 700);
    await test.running(round);
    test.clock.advance(300);
    await test.log.until("run-ended", round);
  }
  assertEquals(
    test.results(task).map(({ startedAt }) => startedAt! - Date.UTC(2026, 0, 1)),
    [1_000, 2_000, 3_000, 4_000],
  );
  assertEquals(test.results(task).map(({ duration }) => duration), [300, 300, 300, 300]);
});

Deno.test("missed due times become one run, and are counted", async () => {
  await using test = new TestScheduler();
  const task = test.add("echo", { schedule: every(1_000), input: 1 });
  test.clock.stall(10_500);
  await test.log.until("run-ended");
  assertEquals(test.log.all("runs-missed").map(({ count }) => count), [9]);
  assertEquals(task.stats.missed, 9);
  assertEquals(test.results(task)[0]!.lateness, 9_500);
  assertEquals(test.log.all("run-late").length, 1);
  assertEquals(task.nextDue, 11_000);
  test.clock.advance(500);
  await test.log.until("run-ended", 2);
  assertEquals(task.stats.outcomes.succeeded, 2);
});

Deno.test("after a suspend, a cron task makes up for all it missed with one run", async () => {
  await using test = new TestScheduler({ now: "2026-03-01T00:30:00Z" });
  const task = test.add("echo", { schedule: cron("0 * * * *"), input: 1 });
  // The wall clock goes on during a suspend, the monotonic clock may not.
  test.clock.setNow("2026-03-01T09:15:00Z");
  test.clock.advance(10_000);
  await test.log.until("run-ended");
  assertEquals(test.log.all("runs-missed").map(({ count }) => count), [8]);
  assertEquals(test.log.all("clock-jumped").map(({ by }) => by), [8.75 * 3_600_000]);
  assertEquals(test.outcomes(task), ["succeeded"]);
  assertEquals(new Date(task.nextDue!).toISOString(), "2026-03-01T10:00:00.000Z");
});

Deno.test("setting the wall clock neither stops nor floods an interval", async () => {
  for (const to of ["2016-01-01T00:00:00Z", "2036-01-01T00:00:00Z"]) {
    await using test = new TestScheduler({ now: "2026-01-01T00:00:00Z" });
    const task = test.add("echo", { schedule: every(1_000), input: 1 });
    await stepThrough(test, 1_000, 2);
    test.clock.setNow(to);
    await stepThrough(test, 1_000, 3);
    assertEquals(test.outcomes(task), Array(5).fill("succeeded"));
    assertEquals(task.stats.missed, 0);
  }
});

Deno.test("an aligned interval goes on at once when the clock is set back", async () => {
  await using test = new TestScheduler({ now: "2026-01-01T10:30:00Z" });
  const task = test.add("echo", { schedule: every({ hours: 1 }, { align: true }), input: 1 });
  assertEquals(new Date(task.nextDue!).toISOString(), "2026-01-01T11:00:00.000Z");
  test.clock.setNow("2026-01-01T03:45:00Z");
  test.clock.advance(10_000);
  assertEquals(new Date(task.nextDue!).toISOString(), "2026-01-01T04:00:00.000Z");
});

Deno.test("a cron slot is not used twice when the clock is set back a little, but is after hours", async () => {
  const cases = [["2026-01-01T02:40:00Z", "2026-01-02"], ["2025-12-31T20:00:00Z", "2026-01-01"]];
  await Promise.all(cases.map(async ([to, nextDay]) => {
    await using test = new TestScheduler({ now: "2026-01-01T02:59:00Z" });
    const task = test.add("echo", { schedule: cron("0 3 * * *"), input: 1 });
    test.clock.advance(60_000);
    await test.log.until("run-ended");
    test.clock.setNow(to!);
    test.clock.advance(10_000);
    assertEquals(new Date(task.nextDue!).toISOString().slice(0, 10), nextDay);
  }));
});

Deno.test("delays beyond 2^31 ms work", async () => {
  await using test = new TestScheduler();
  const task = test.add("echo", { schedule: after({ days: 60 }), input: 1 });
  test.clock.advance(60 * 86_400_000 - 1);
  assertEquals(test.log.all("run-started"), []);
  test.clock.advance(1);
  await test.log.until("task-finished");
  assertEquals(test.outcomes(task), ["succeeded"]);
  assertEquals(task.state, "finished");
});

Deno.test("at a moment in the past means at once; after a pause what is due once is not lost", async () => {
  await using test = new TestScheduler({ now: "2026-01-01T00:00:00Z" });
  const past = test.add("echo", { schedule: at("2025-01-01T00:00:00Z"), input: 1 });
  const once = test.add("echo", { schedule: after(1_000), input: 1 });
  const grid = test.add("echo", { schedule: every(1_000), input: 1 });
  once.pause();
  grid.pause();
  test.clock.advance(5_500);
  await test.log.until("run-ended");
  assertEquals(test.outcomes(past), ["succeeded"]);
  assertEquals([once.state, grid.state], ["paused", "paused"]);
  once.resume();
  grid.resume();
  assertEquals(grid.nextDue! - test.clock.now(), 500);
  test.clock.advance(0);
  await test.log.until("run-ended", 2);
  assertEquals(test.outcomes(once), ["succeeded"]);
  assertEquals(test.outcomes(grid), []);
});

Deno.test("a schedule that is never due finishes the task at once", async () => {
  await using test = new TestScheduler();
  const task = test.add("echo", { schedule: cron("0 0 30 2 *") });
  assertEquals(task.state, "finished");
  assertEquals(test.log.all("task-finished").length, 1);
  assertEquals((await task.trigger(5)).value, 5);
  assertEquals(test.log.all("task-finished").length, 1);
});

Deno.test("continuous: the pause is counted from the end of a run, whoever began it", async () => {
  await using test = new TestScheduler();
  const task = test.add("waits", { schedule: continuous({ pause: 1_000 }), input: "return" });
  for (const round of [1, 2]) {
    test.clock.advance(round === 1 ? 0 : 1_000);
    await test.running(round);
    assertEquals(task.nextDue, undefined);
    test.clock.advance(700);
    await task.cancel();
    assertEquals(task.nextDue, test.clock.now() + 1_000);
  }
  test.clock.advance(500);
  const result = task.trigger();
  await test.running(3);
  test.clock.advance(5_000);
  assertEquals(test.outcomes(task), ["cancelled", "cancelled"]);
  await task.cancel();
  assertEquals((await result).trigger, "manual");
  assertEquals(task.nextDue, test.clock.now() + 1_000);
});

Deno.test("jitter delays each run by a part of the interval, and never moves the grid", async () => {
  // From one end of what `Math.random` gives to the other.
  const parts = [0, 0.25, 0.5, 0.75, 1 - Number.EPSILON / 2];
  using _random = withRandom((call) => parts[call % parts.length]!);
  await using test = new TestScheduler();
  const task = test.add("echo", { schedule: every(1_000), jitter: 0.5, input: 1 });
  const delays: number[] = [];
  for (let round = 1; round <= 10; round++) {
    delays.push(task.nextDue! - round * 1_000);
    // The timer is set to whole milliseconds, and a due time with jitter is none.
    test.clock.advance(Math.ceil(task.nextDue! - test.clock.now()) + 1);
    await test.log.until("run-ended", round);
  }
  const sorted = delays.toSorted((a, b) => a - b);
  assertEquals(sorted, [0, 0, 125, 125, 250, 250, 375, 375, 500, 500]);
  assertEquals(task.stats.missed, 0);
});

Deno.test("10,000 tasks share one armed timer, and each is due at its time", async () => {
  await using test = new TestScheduler();
  const tasks = Array.from({ length: 10_000 }, (_, index) =>
    test.add("echo", {
      schedule: every({ hours: 1 + index }),
      // None of them may run: ten thousand workers are not the subject.
      paused: false,
    }));
  assertEquals(test.clock.timers, 1);
  for (const task of tasks.slice(0, 5_000)) task.pause();
  assertEquals(test.clock.timers, 1);
  assertEquals(tasks[9_999]!.nextDue, 10_000 * 3_600_000);
  await Promise.all(tasks.slice(5_000).map((task) => task.remove()));
  assertEquals(test.scheduler.tasks.length, 5_000);
  assertEquals(test.clock.timers, 1);
});
