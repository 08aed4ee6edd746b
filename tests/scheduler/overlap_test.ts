import { assert, assertEquals } from "@std/assert";
import { every } from "../../src/schedule/mod.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

guardTests();

Deno.test("skip: what is due during a run is skipped, counted and visible", async () => {
  await using test = new TestScheduler();
  const task = test.add("waits", { schedule: every(1_000, { immediate: true }), input: "return" });
  test.clock.advance(0);
  await test.running();
  test.clock.advance(3_000);
  await test.log.until("run-ended", 3);
  assertEquals(test.outcomes(task), ["skipped", "skipped", "skipped"]);
  assertEquals(task.stats.outcomes.skipped, 3);
  assertEquals(test.results(task)[0]!.startedAt, undefined);
  await task.cancel();
  test.clock.advance(1_000);
  await test.running(2);
  assertEquals(task.state, "running");
});

Deno.test("queue: one waits, further ones are skipped", async () => {
  await using test = new TestScheduler();
  const task = test.add("waits", {
    schedule: every(1_000, { immediate: true }),
    input: "return",
    overlap: "queue",
  });
  test.clock.advance(0);
  await test.running();
  test.clock.advance(3_000);
  await test.log.until("run-ended", 2);
  assertEquals(test.outcomes(task), ["skipped", "skipped"]);
  await task.cancel();
  // The one that waited was cancelled with the one that ran.
  await test.log.until("run-ended", 4);
  assertEquals(test.outcomes(task).slice(2).toSorted(), ["cancelled", "cancelled"]);

  test.clock.advance(1_000);
  await test.running(2);
  const waiting = task.trigger();
  assertEquals(task.active.length, 1);
  test.clock.advance(0);
  const [active] = task.active;
  void task.trigger("return");
  await test.log.until("run-ended", 5);
  assertEquals(active!.runId, task.active[0]!.runId);
  const cancelled = task.cancel();
  await Promise.all([waiting, cancelled]);
});

Deno.test("queue: the one that waits begins when the other one has ended", async () => {
  await using test = new TestScheduler();
  const task = test.add("waits", {
    schedule: every(1_000, { immediate: true }),
    input: "return",
    overlap: "queue",
    timeout: 1_500,
  });
  test.clock.advance(0);
  await test.running();
  test.clock.advance(1_000);
  test.clock.advance(500);
  await test.log.until("run-ended");
  assertEquals(test.outcomes(task), ["timed-out"]);
  await test.running(2);
  assertEquals(task.active.length, 1);
});

Deno.test("replace: the new run begins when the old one is gone", async () => {
  await using test = new TestScheduler();
  const task = test.add("waits", {
    schedule: every(1_000, { immediate: true }),
    input: "throw-reason",
    overlap: "replace",
  });
  test.clock.advance(0);
  await test.running();
  test.clock.advance(1_000);
  await test.running(2);
  const [result] = test.results(task);
  assertEquals(result!.outcome, "replaced");
  assertEquals(task.active.length, 1);
  const order = test.log.events.flatMap(({ type }) =>
    type === "run-started" || type === "run-ended" ? [type] : []
  );
  assertEquals(order, ["run-started", "run-ended", "run-started"]);
});

Deno.test("replace: of several that wait only the newest begins, the others say what happened", async () => {
  await using test = new TestScheduler();
  const task = test.add("waits", {
    schedule: every(60_000),
    input: "return",
    overlap: "replace",
  });
  const first = task.trigger();
  await test.running();
  const others = [task.trigger(), task.trigger(), task.trigger()];
  assertEquals((await first).outcome, "replaced");
  assertEquals((await others[0]!).outcome, "replaced");
  assertEquals((await others[1]!).outcome, "replaced");
  await test.running(2);
  await task.cancel();
  assertEquals((await others[2]!).outcome, "cancelled");
});

Deno.test("allow: so many at once as allowed, in workers of their own", async () => {
  await using test = new TestScheduler();
  const task = test.add("waits", {
    schedule: every(1_000),
    input: "return",
    overlap: "allow",
    maxConcurrent: 3,
  });
  test.clock.advance(5_000);
  await test.running(3);
  await test.log.until("run-ended", 2);
  assertEquals(test.outcomes(task), ["skipped", "skipped"]);
  assertEquals(task.active.length, 3);
  assertEquals(new Set(test.log.all("run-started").map(({ worker }) => worker)).size, 3);
  assertEquals(await test.alive(), 3);
});

Deno.test("the guard is released after a throw, a timeout, a crash, an abort and a load failure", async () => {
  const cases = [
    { module: "throws", input: "plain", outcome: "failed" },
    { module: "waits", input: "return", outcome: "timed-out", timeout: 100 },
    { module: "waits", input: "ignore", outcome: "timed-out", timeout: 100, gracePeriod: 0 },
    { module: "crashes", input: "exit", outcome: "crashed" },
    { module: "no_such_module", input: undefined, outcome: "failed" },
  ];
  for (const { module, outcome, ...options } of cases) {
    await using test = new TestScheduler();
    const task = test.add(module, { schedule: every(1_000, { immediate: true }), ...options });
    for (let round = 1; round <= 3; round++) {
      test.clock.advance(round === 1 ? 0 : 1_000 - (options.timeout ?? 0));
      if (options.timeout !== undefined) {
        await test.running(round);
        test.clock.advance(options.timeout);
      }
      await test.log.until("run-ended", round);
    }
    assert(test.outcomes(task).every((each) => each === outcome), `${module} ${outcome}`);
  }
});
