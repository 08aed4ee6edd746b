import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { ClosedError, StuckWorkerError } from "../../src/base/errors.ts";
import { after, every } from "../../src/schedule/mod.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { Child, denoCommand } from "../support/child.ts";
import { OFFLINE } from "../support/entries.ts";
import { holdBusy } from "../support/release.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

guardTests();

Deno.test("a scheduler without an owner is a type error, and an error", () => {
  // @ts-expect-error: `signal` is required.
  assertThrows(() => new Scheduler({}), TypeError, "expected an AbortSignal as signal");
  // @ts-expect-error: `signal` is required.
  assertThrows(() => new Scheduler(), TypeError, "received undefined");
  const signal = new AbortController() as unknown as AbortSignal;
  assertThrows(() => new Scheduler({ signal }), TypeError, "received AbortController");
});

Deno.test("abort before construction: stopped from the start, with that reason", async () => {
  const reason = new Error("too late");
  const scheduler = new Scheduler({ signal: AbortSignal.abort(reason) });
  const error = assertThrows(
    () => scheduler.add("data:,", { schedule: every(1_000), name: "x" }),
    ClosedError,
    'Cannot add task "x": the scheduler has been stopped',
  );
  assertStrictEquals(error.cause, reason);
  await scheduler.finished;
  await scheduler.close();
});

Deno.test("stop with no task, stop before any run, stop twice, in every order", async () => {
  for (const way of ["abort", "close", "dispose", "abort-close", "close-abort"] as const) {
    const test = new TestScheduler();
    const task = test.add("echo", { schedule: every(1_000) });
    if (way.startsWith("abort")) test.owner.abort();
    if (way === "close" || way === "close-abort") void test.scheduler.close();
    if (way === "dispose") void test.scheduler[Symbol.asyncDispose]();
    if (way === "close-abort") test.owner.abort();
    await Promise.all([
      test.scheduler.finished,
      test.scheduler.close(),
      test.scheduler[Symbol.asyncDispose](),
    ]);
    assertEquals(task.state, "stopped");
    assertEquals(test.scheduler.tasks, []);
    assertEquals(test.clock.timers, 0);
    assertEquals(test.log.all("worker-spawned"), []);
    assertEquals(test.log.all("scheduler-stopped").length, 1);
    test.clock.advance(10_000);
    assertEquals(test.log.all("run-ended"), []);
  }
});

Deno.test("stop during the spawn: the run is aborted and the worker gone", async () => {
  for (const moment of ["at once", "spawned"] as const) {
    const test = new TestScheduler();
    const task = test.add("echo", { schedule: every(1_000, { immediate: true }) });
    test.clock.advance(0);
    if (moment === "spawned") await test.log.until("worker-spawned");
    test.owner.abort(new Error("stop"));
    await test.scheduler.finished;
    assertEquals(test.outcomes(task), ["aborted"]);
    assertEquals(test.results(task)[0]!.attempts, 0);
    assertEquals(await test.alive(), 0);
  }
});

Deno.test("running tasks see the owner's reason, end within the grace period, and are aborted", async () => {
  const test = new TestScheduler();
  const task = test.add("waits", { schedule: after(0), input: "return" });
  test.clock.advance(0);
  await test.running();
  const reason = Object.assign(new Error("shutdown"), { code: "E_DOWN" });
  test.owner.abort(reason);
  await test.scheduler.finished;
  const [result] = test.results(task);
  assertEquals(result!.outcome, "aborted");
  assertEquals(result!.ending, "returned");
  assertStrictEquals(result!.reason, reason);
  const { data } = test.log.all("run-log")[0]!;
  assertEquals(data, { message: "shutdown", code: "E_DOWN" });
  assertEquals(await test.alive(), 0);
});

Deno.test("tasks are stopped in the reverse order of adding, one after another", async () => {
  const test = new TestScheduler();
  const tasks = [1, 2, 3].map(() =>
    test.add("waits", { schedule: after(0), input: "throw-reason" })
  );
  test.clock.advance(0);
  await test.running(3);
  await test.scheduler.close();
  const order = test.log.events.flatMap((event) =>
    event.type === "run-log"
      ? [`told ${tasks.findIndex(({ name }) => name === event.task)}`]
      : event.type === "worker-exited"
      ? [`gone ${tasks.findIndex(({ name }) => name === event.task)}`]
      : []
  );
  assertEquals(order, ["told 2", "gone 2", "told 1", "gone 1", "told 0", "gone 0"]);
});

Deno.test("the grace period is for all together; who comes after it gets a last moment", async () => {
  const test = new TestScheduler();
  const first = test.add("waits", { schedule: after(0), input: "return" });
  const last = test.add("waits", { schedule: after(0), input: "ignore" });
  test.clock.advance(0);
  await test.running(2);
  const closed = test.scheduler.close({ gracePeriod: 5_000 });
  await test.log.until("scheduler-stopping");
  test.clock.advance(5_000);
  await closed;
  assertEquals(test.results(last)[0]!.ending, "killed");
  assertEquals(test.results(first)[0]!.ending, "returned");
});

Deno.test("a later close can shorten the grace period of the first", async () => {
  const test = new TestScheduler();
  const task = test.add("waits", { schedule: after(0), input: "ignore" });
  test.clock.advance(0);
  await test.running();
  // The clock stands still, so the first one would wait for ever.
  const first = test.scheduler.close({ gracePeriod: 60_000 });
  await Promise.all([first, test.scheduler.close({ gracePeriod: 0 })]);
  assertEquals(test.results(task)[0]!.ending, "killed");
});

Deno.test("stuck workers are named in the error of everything that waits for the end", async () => {
  using busy = holdBusy();
  const test = new TestScheduler({ killTimeout: 300 });
  const stuck = test.add("busy", { schedule: after(0), input: busy.memory });
  const fine = test.add("waits", { schedule: after(0), input: "return" });
  test.clock.advance(0);
  await test.running(2);
  test.owner.abort();
  // It is told first, and has all the time that it needs.
  await test.log.until("worker-exited");
  const ends = [test.scheduler.finished, test.scheduler.close({ gracePeriod: 0 })];
  for (const end of ends) {
    const error = await assertRejects(() => end, StuckWorkerError, stuck.name);
    assertEquals(error.workers.map(({ task }) => task), [stuck.name]);
    assert(error.workers[0]!.waited >= 299);
  }
  assertEquals(test.outcomes(fine), ["aborted"]);
  assertEquals(test.results(stuck)[0]!.ending, "stuck");
  assertEquals(test.log.all("worker-stuck").length, 1);
  assertEquals(test.log.all("scheduler-stopped")[0]!.stuck.length, 1);
});

Deno.test("a task that cannot be stopped does not keep the others from their end", async () => {
  using busy = holdBusy();
  const test = new TestScheduler({ killTimeout: 300 });
  const fine = test.add("echo", { schedule: every(1_000, { immediate: true }), input: 1 });
  const stuck = test.add("busy", { schedule: after(0), input: busy.memory });
  test.clock.advance(0);
  await test.log.until("run-ended");
  await test.running();
  await assertRejects(() => stuck.remove({ gracePeriod: 0 }), StuckWorkerError, stuck.name);
  test.clock.advance(1_000);
  await test.log.until("run-ended", 3);
  assertEquals(test.outcomes(fine), ["succeeded", "succeeded"]);
  busy.release();
  await test.scheduler.close();
});

Deno.test("what is asked for after the stop is an error that names the cause", async () => {
  const test = new TestScheduler();
  const task = test.add("echo", { schedule: every(1_000) });
  const reason = new Error("over");
  await test.scheduler.close({ reason });
  const error = await assertRejects(() => task.trigger(), ClosedError, "has been stopped");
  assertStrictEquals(error.cause, reason);
  assertThrows(() => test.add("echo", { schedule: every(1_000) }), ClosedError);
  task.pause();
  task.resume();
  await task.cancel();
  await task.remove();
  for await (const result of task.runs()) assertInstanceOf(result, Error);
  assertEquals(task.state, "stopped");
});

Deno.test("eight schedulers in parallel steps do not disturb each other", async (t) => {
  await Promise.all(Array.from({ length: 8 }, (_, index) =>
    t.step({
      name: `step ${index}`,
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      async fn() {
        const test = new TestScheduler();
        const waits = test.add("waits", { schedule: after(0), input: "return" });
        const echo = test.add("echo", { schedule: every(1_000), input: index });
        test.clock.advance(0);
        await test.running();
        for (let run = 0; run <= index; run++) await echo.trigger();
        test.owner.abort(index);
        await test.scheduler.finished;
        assertEquals(test.results(echo).map(({ value }) => value), Array(index + 1).fill(index));
        assertEquals(test.results(waits)[0]!.reason, index);
        assertEquals(await test.alive(), 0);
      },
    })));
});

Deno.test("fifty schedulers under one signal: one abort, nothing left", async () => {
  const owner = new AbortController();
  let listeners = 0;
  const add = owner.signal.addEventListener;
  owner.signal.addEventListener = function (...args: unknown[]) {
    listeners++;
    return add.apply(this, args as Parameters<typeof add>);
  };
  const tests = Array.from({ length: 50 }, () => new TestScheduler({ signal: owner.signal }));
  assertEquals(listeners, 1);
  for (const test of tests) test.add("echo", { schedule: every(1_000) });
  owner.abort();
  await Promise.all(tests.map(({ scheduler }) => scheduler.finished));
  for (const { clock } of tests) assertEquals(clock.timers, 0);
});

Deno.test('onStuck: "exit" ends the process with one line, after the sink has heard of it', async () => {
  const command = denoCommand("run", "-A", OFFLINE, "tests/fixtures/stuck_program.ts");
  await using program = new Child(command);
  const { code, stdout, stderr } = await program.finish();
  assertEquals([code, stdout], [1, "event\n"]);
  assertMatch(stderr, /^leash: exiting: worker job#1 is stuck, alive \d+ ms after its end\n$/);
});

Deno.test("onStuck knows two words", () => {
  const { signal } = new AbortController();
  assertThrows(
    () => new Scheduler({ signal, onStuck: "ignore" as "report" }),
    TypeError,
    'expected "report" or "exit" as onStuck: received "ignore"',
  );
});
