import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { TaskLoadError } from "../../src/base/errors.ts";
import { continuous, every } from "../../src/schedule/mod.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

guardTests();

const FIXED = { initial: 100, factor: 2, jitter: "none" } as const;

Deno.test("timeout, cancel of one run and abort of the owner are three outcomes", async () => {
  const test = new TestScheduler();
  const task = test.add("waits", { schedule: every(1_000), input: "throw-reason", timeout: 500 });
  const first = task.trigger();
  await test.running();
  test.clock.advance(500);
  const timedOut = await first;
  assertEquals([timedOut.outcome, timedOut.ending], ["timed-out", "threw"]);
  assertInstanceOf(timedOut.error, DOMException);
  assertEquals(timedOut.error.name, "TimeoutError");

  const second = task.trigger();
  await test.running(2);
  const why = new Error("not now");
  await task.cancel(why);
  const cancelled = await second;
  assertEquals([cancelled.outcome, cancelled.reason], ["cancelled", why]);
  assertEquals("error" in cancelled, false);

  const third = task.trigger();
  await test.running(3);
  test.owner.abort(why);
  const aborted = await third;
  assertEquals([aborted.outcome, aborted.reason], ["aborted", why]);
  await test.scheduler.finished;
  const { outcomes } = task.stats;
  assertEquals([outcomes["timed-out"], outcomes.cancelled, outcomes.aborted], [1, 1, 1]);
});

Deno.test("a failure is kept, and the task goes on", async () => {
  await using test = new TestScheduler();
  const task = test.add("throws", { schedule: every(1_000), input: "plain" });
  test.clock.advance(1_000);
  await test.log.until("run-ended");
  const [result] = test.results(task);
  assertEquals(result!.outcome, "failed");
  assertInstanceOf(result!.error, RangeError);
  assertEquals(task.stats.lastError?.error, result!.error);
  assertEquals(task.state, "waiting");
});

Deno.test("a module that is not there fails each run with the reason", async () => {
  await using test = new TestScheduler();
  const task = test.add("no_such_module", { schedule: every(1_000) });
  const result = await task.trigger();
  assertEquals([result.outcome, result.attempts], ["failed", 1]);
  assertInstanceOf(result.error, TaskLoadError);
});

Deno.test("retry: attempts with growing waits, one result", async () => {
  await using test = new TestScheduler();
  const task = test.add("flaky", {
    schedule: every(60_000),
    input: 4,
    retry: { maxAttempts: 5, backoff: FIXED },
  });
  const result = task.trigger();
  for (const [index, wait] of [100, 200, 400].entries()) {
    const { attempt, retryIn } = await test.log.until("attempt-failed", index + 1);
    assertEquals([attempt, retryIn], [index + 1, wait]);
    assertEquals(task.state, "running");
    // One tick early nothing happens yet.
    test.clock.advance(wait - 1);
    assertEquals(test.log.all("run-started").length, index + 1);
    test.clock.advance(1);
  }
  const { outcome, value, attempts } = await result;
  assertEquals([outcome, value, attempts], ["succeeded", 4, 4]);
  assertEquals(task.stats.retries, 3);
  assertEquals(test.log.all("run-ended").length, 1);
});

Deno.test("retry: ends after its attempts, also when the module cannot be loaded or crashes", async () => {
  const cases = [["throws", "plain", "failed"], ["crashes", "exit", "crashed"], [
    "no_such_module",
    "",
    "failed",
  ]];
  for (const [module, input, outcome] of cases) {
    await using test = new TestScheduler();
    const task = test.add(module!, {
      schedule: every(60_000),
      input,
      retry: { maxAttempts: 3, backoff: { initial: 0 } },
    });
    const result = task.trigger();
    for (const attempt of [1, 2]) {
      await test.log.until("attempt-failed", attempt);
      test.clock.advance(0);
    }
    const { attempts, ...end } = await result;
    assertEquals([end.outcome, attempts], [outcome!, 3]);
  }
});

Deno.test("retry: a cancel, a stop and a replacement end the wait for the next attempt", async () => {
  for (const end of ["cancelled", "aborted", "replaced"] as const) {
    await using test = new TestScheduler();
    const task = test.add("throws", {
      schedule: every(60_000),
      input: "plain",
      overlap: end === "replaced" ? "replace" : "skip",
      retry: { maxAttempts: 2, backoff: { initial: 30_000, jitter: "none" } },
    });
    const result = task.trigger();
    await test.log.until("attempt-failed");
    if (end === "cancelled") await task.cancel();
    if (end === "aborted") await test.scheduler.close();
    if (end === "replaced") void task.trigger();
    assertEquals((await result).outcome, end);
  }
});

Deno.test("continuous: a failure waits for the backoff, a success begins the series anew", async () => {
  await using test = new TestScheduler();
  const task = test.add("throws", {
    schedule: continuous({ pause: 10 }),
    input: "plain",
    restart: { backoff: FIXED },
  });
  for (const [index, wait] of [100, 200, 400].entries()) {
    test.clock.advance(0);
    await test.log.until("run-ended", index + 1);
    assertEquals(task.nextDue! - test.clock.now(), wait);
    test.clock.advance(wait);
  }
});

Deno.test("continuous: too many failures within the window, and the task is given up, loudly", async () => {
  await using test = new TestScheduler();
  const bad = test.add("throws", {
    schedule: continuous({ pause: 0 }),
    input: "plain",
    restart: {
      maxRestarts: 3,
      within: 10_000,
      backoff: { initial: 100, factor: 1, jitter: "none" },
    },
  });
  const good = test.add("echo", { schedule: continuous({ pause: 1_000 }), input: 1 });
  while (bad.state !== "given-up") {
    test.clock.advance(100);
    await test.log.until("run-ended", test.results(bad).length + test.results(good).length + 1);
  }
  assertEquals(test.outcomes(bad), Array(4).fill("failed"));
  const event = test.log.all("task-given-up")[0]!;
  assertEquals([event.task, event.restarts], [bad.name, 3]);
  assertInstanceOf(event.error, RangeError);
  assertEquals(bad.nextDue, undefined);

  const before = test.results(good).length;
  test.clock.advance(1_000);
  await test.log.until("run-ended", 4 + before + 1);
  assertEquals(test.results(bad).length, 4);

  bad.resume();
  test.clock.advance(0);
  await test.log.until("run-ended", 4 + before + 2);
  assertEquals(test.results(bad).length, 5);
  assert(["waiting", "running"].includes(bad.state));
});

Deno.test("continuous: failures far apart never give a task up", async () => {
  await using test = new TestScheduler();
  const task = test.add("throws", {
    schedule: continuous(),
    input: "plain",
    restart: {
      maxRestarts: 1,
      within: 1_000,
      backoff: { initial: 1_000, factor: 1, jitter: "none" },
    },
  });
  for (let round = 1; round <= 6; round++) {
    test.clock.advance(1_000);
    await test.log.until("run-ended", round);
  }
  assertEquals(task.state, "waiting");
});

Deno.test("a sink that throws or rejects harms nothing, and is reported", async () => {
  const lines: unknown[][] = [];
  const write = console.error;
  console.error = (...args: unknown[]) => void lines.push(args);
  try {
    for (
      const sink of [() => {
        throw new Error("bad sink");
      }, () => Promise.reject(new Error("bad sink"))]
    ) {
      await using test = new TestScheduler({ onEvent: sink });
      const task = test.add("echo", { schedule: every(1_000), input: 1 });
      assertEquals((await task.trigger()).outcome, "succeeded");
      assert(lines.length > 0);
      assertStringIncludes(String(lines[0]![0]), "onEvent sink threw");
      lines.length = 0;
    }
  } finally {
    console.error = write;
  }
});

Deno.test("without a sink problems go to stderr, a line each, and nothing else does", async () => {
  const lines: string[] = [];
  const write = console.error;
  console.error = (line: string) => void lines.push(line);
  try {
    await using test = new TestScheduler({ onEvent: undefined });
    const good = test.add("echo", { schedule: every(1_000), input: 1 });
    const bad = test.add("throws", { schedule: every(1_000), input: "plain" });
    await good.trigger();
    assertEquals(lines, []);
    await bad.trigger();
    assertEquals(lines.length, 1);
    assertStringIncludes(lines[0]!, `${bad.name} failed after 0ms: RangeError: plain failure`);
  } finally {
    console.error = write;
  }
});
