import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { continuous, every } from "../../src/schedule/mod.ts";
import type { BaseTaskOptions } from "../../src/scheduler/task_options.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { fixture } from "../support/fixture.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

guardTests();

Deno.test("the type of the module gives input and result their types", async () => {
  await using test = new TestScheduler();
  const url = fixture("reports");
  const task = test.scheduler.add<typeof import("../fixtures/reports.ts")>(url, {
    schedule: every(1_000),
    input: 3,
  });
  const result = await task.trigger(5);
  const name: string | undefined = result.value?.task;
  assertEquals(name, "reports");
  // @ts-expect-error: the result is no number.
  const wrong: number | undefined = result.value;
  assert(wrong !== undefined);
  // @ts-expect-error: the input is no string.
  await task.trigger("5");
  assertThrows(
    () =>
      // @ts-expect-error: the input is missing.
      test.scheduler.add<typeof import("../fixtures/reports.ts")>(url, { schedule: every(1_000) }),
    TypeError,
    'Cannot add task "reports": this scheduler has a task of that name',
  );
  test.scheduler.add<typeof import("../fixtures/counts.ts")>(fixture("counts"), {
    schedule: every(1_000),
  });
  assertEquals(test.scheduler.tasks.map(({ name }) => name), ["reports", "counts"]);
});

Deno.test("trigger: the input of the call, or else that of the task; also while paused", async () => {
  await using test = new TestScheduler();
  const task = test.add("echo", { schedule: every(1_000), input: "own", paused: true });
  assertEquals(task.state, "paused");
  const own = await task.trigger();
  assertEquals([own.value, own.trigger, own.attempts], ["own", "manual", 1]);
  assertEquals((await task.trigger("given")).value, "given");
  await assertRejects(() => task.trigger(() => {}), TypeError, "Cannot send input to task");
  test.clock.advance(10_000);
  assertEquals(test.results(task).length, 2);
});

Deno.test("runs(): every loop gets every result, and ends with the task", async () => {
  await using test = new TestScheduler();
  const task = test.add("echo", { schedule: every(1_000), input: 0 });
  const read = async (limit: number): Promise<unknown[]> => {
    const values: unknown[] = [];
    for await (const { value } of task.runs()) {
      values.push(value);
      if (values.length === limit) break;
    }
    return values;
  };
  const all = [read(Infinity), read(Infinity)];
  const two = read(2);
  for (const value of [1, 2, 3]) await task.trigger(value);
  assertEquals(await two, [1, 2]);
  await task.remove();
  assertEquals(await Promise.all(all), [[1, 2, 3], [1, 2, 3]]);
});

Deno.test("runs(): a reader that is too slow loses the oldest results and an event says so", async () => {
  await using test = new TestScheduler();
  const task = test.add("waits", { schedule: every(60_000), input: "return" });
  const reader = task.runs();
  const first = reader.next();
  void task.trigger();
  await test.running();
  // While it runs, each further one is skipped, which is a result as well.
  const skipped = await Promise.all(Array.from({ length: 1_100 }, () => task.trigger()));
  assertEquals((await first).value.runId, skipped[100]!.runId);
  assertEquals((await reader.next()).value.runId, skipped[101]!.runId);
  assertEquals(test.log.all("results-dropped").length, 100);
  await reader.return?.();
});

Deno.test("stats: counts, last success and error, percentiles, lateness, next due", async () => {
  await using test = new TestScheduler({ now: "2026-01-01T00:00:00Z" });
  const task = test.add("waits", { schedule: every(60_000), input: "return" });
  assertEquals(task.stats.duration, undefined);
  for (let run = 1; run <= 20; run++) {
    const result = task.trigger();
    await test.running(run);
    test.clock.advance(run * 10);
    await task.cancel();
    await result;
  }
  const { duration, outcomes, lastOutcome, lastSuccess, lastError } = task.stats;
  assertEquals(duration, { p50: 100, p95: 190, max: 200 });
  assertEquals([outcomes.cancelled, outcomes.succeeded], [20, 0]);
  assertEquals([lastOutcome, lastSuccess, lastError], ["cancelled", undefined, undefined]);
  assertEquals(task.nextDue, Date.UTC(2026, 0, 1, 0, 1));
});

Deno.test("a worker is kept when the next run is near, and not when it is far", async () => {
  for (const [interval, kept] of [[29_000, true], [31_000, false]] as const) {
    await using test = new TestScheduler();
    const task = test.add("counts", { schedule: every(interval) });
    test.clock.advance(interval);
    await test.log.until("run-ended");
    if (!kept) await test.log.until("worker-exited");
    test.clock.advance(interval);
    await test.log.until("run-ended", 2);
    assertEquals(test.results(task).map(({ value }) => value), kept ? [1, 2] : [1, 1]);
  }
});

Deno.test("maxRunsPerWorker and idleTimeout reach the worker", async () => {
  await using test = new TestScheduler();
  const schedule = every(60_000);
  const two = test.add("counts", { schedule, maxRunsPerWorker: 2, idleTimeout: Infinity });
  const cold = test.add("counts", { schedule, idleTimeout: 0 });
  const values = [];
  for (let run = 0; run < 4; run++) {
    values.push([(await two.trigger()).value, (await cold.trigger()).value]);
  }
  assertEquals(values, [[1, 1], [2, 1], [1, 1], [2, 1]]);
});

Deno.test("remove: the task is gone, others are not touched, the name is free", async () => {
  await using test = new TestScheduler();
  const removed = test.add("waits", { schedule: every(1_000), input: "throw-reason" });
  const other = test.add("waits", { schedule: every(1_000), input: "return" });
  test.clock.advance(1_000);
  await test.running(2);
  await removed.remove();
  assertEquals(test.results(removed)[0]!.outcome, "aborted");
  assertEquals([removed.state, other.state], ["stopped", "running"]);
  assertEquals(await test.alive(), 1);
  assertEquals(test.scheduler.tasks.map(({ name }) => name), [other.name]);
  test.scheduler.add(fixture("echo"), { name: removed.name, schedule: every(1_000) });
  test.clock.advance(10_000);
  assertEquals(test.results(removed).length, 1);
});

Deno.test("cancel with nothing to cancel does nothing, and the schedule goes on", async () => {
  await using test = new TestScheduler();
  const task = test.add("echo", { schedule: every(1_000), input: 1 });
  await task.cancel();
  test.clock.advance(1_000);
  await test.log.until("run-ended");
  assertEquals(test.outcomes(task), ["succeeded"]);
});

Deno.test("wrong options are one error that says what was expected and received", async (t) => {
  await using test = new TestScheduler();
  const schedule = every(1_000);
  const cases: [string, Record<string, unknown>, string][] = [
    ["no schedule", {}, "expected a schedule such as every({ minutes: 5 }): received undefined"],
    ["a text for a schedule", { schedule: "5m" }, 'received "5m"'],
    ["an unknown key", { schedule, timout: 5 }, "readyTimeout, paused: received timout"],
    ["a duration as text", { schedule, timeout: "5m" }, 'Cannot use "5m" as timeout of task "x"'],
    ["a timeout of 0", { schedule, timeout: 0 }, "expected a finite duration of at least 1 ms"],
    ["a negative grace period", { schedule, gracePeriod: -1 }, "at least 0 ms"],
    [
      "an unknown policy",
      { schedule, overlap: "wait" },
      'replace, allow as overlap: received "wait"',
    ],
    ["too much jitter", { schedule, jitter: 2 }, "between 0 and 1 as jitter: received 2"],
    ["no attempts", { schedule, retry: { maxAttempts: 0 } }, "at least 1 as retry.maxAttempts"],
    ["half an attempt", { schedule, retry: { maxAttempts: 1.5 } }, "received 1.5"],
    ["retry of a loop", { schedule: continuous(), retry: { maxAttempts: 2 } }, "use restart"],
    ["restart of a grid", { schedule, restart: {} }, "use retry"],
    ["concurrency without allow", { schedule, maxConcurrent: 2 }, 'needs overlap: "allow"'],
    ["an empty name", { schedule, name: "" }, "expected a name that is not empty"],
    ["a misspelt permission", { schedule, permissions: { raed: true } }, "received raed"],
    ["a function", { schedule, input: { then: [() => {}] } }, "Cannot send input.then[0]"],
    ["a signal", { schedule, input: AbortSignal.abort() }, "the task has ctx.signal"],
    ["a URL", { schedule, input: { at: new URL("file:///x") } }, "Cannot send input.at"],
    [
      "a Temporal object",
      { schedule, input: { age: Temporal.Duration.from("P7D") } },
      "{ days: 7 }",
    ],
    ["a promise", { schedule, input: [Promise.resolve()] }, "await it first"],
  ];
  for (const [name, options, message] of cases) {
    await t.step(name, () => {
      const add = (): unknown =>
        test.scheduler.add(fixture("echo"), { name: "x", ...options } as BaseTaskOptions);
      const error = assertThrows(add, Error, message);
      assert(error instanceof TypeError || error instanceof RangeError);
    });
  }
  for (const module of ["./sweep.ts", "", 5, undefined]) {
    assertThrows(
      () => test.scheduler.add(module as string, { schedule }),
      TypeError,
      'as in new URL("./sweep.ts", import.meta.url): received',
    );
  }
  assertEquals(test.scheduler.tasks, []);
});
