import { assert, assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { ClosedError, TaskLoadError } from "../../src/base/errors.ts";
import { holdLock } from "../../src/base/web_locks.ts";
import { Controller } from "../../src/reconcile/controller.ts";
import { fromInterval } from "../../src/reconcile/from_interval.ts";
import { guardTests, leakGuard, stressStartStop, testOwner } from "../../src/testing/mod.ts";
import { captureReports } from "../base/_capture_reports.ts";
import { fixture } from "../support/fixture.ts";
import { TestController } from "../support/test_controller.ts";

guardTests();

Deno.test("the module has to be one that reconciles", async () => {
  const { signal } = new AbortController();
  // @ts-expect-error: its default export takes no key.
  type _Wrong = Controller<{ default: (key: number) => void }>;
  // @ts-expect-error: a failure and a requeue cannot both be asked for.
  type _Both = Controller<{ default: () => { requeueAfter: number; pollBackoff: true } }>;
  assertThrows(
    // @ts-expect-error: `signal` is required.
    () => new Controller(fixture("reconcile"), {}),
    TypeError,
    "expected an AbortSignal",
  );
  assertThrows(() => new Controller("x", { signal }), TypeError, "the URL of its module");
  assertThrows(
    () => new Controller(fixture("reconcile"), { signal, concurrency: 0 }),
    TypeError,
    "at least 1 as concurrency: received 0",
  );
  for (
    const [options, message] of [
      [{ rateLimiter: null }, "expected a rateLimiter with delay(), failures(), forget()"],
      [{ hotLoop: null }, "expected an object as hotLoop: received null"],
      [{ pollBackoff: 5 }, "expected an object as pollBackoff: received 5"],
      [{ pollBackoff: false }, "expected an object as pollBackoff: received false"],
      [{ isFresh: 5 }, "expected a function as isFresh: received 5"],
    ] as const
  ) {
    assertThrows(
      () => new Controller(fixture("reconcile"), { signal, ...options as object }),
      TypeError,
      message,
    );
  }
  await using test = new TestController({ module: "data:text/javascript,export const x = 1" });
  const run = await test.controller.trigger("a");
  assertInstanceOf(run.error, TaskLoadError);
  assertEquals(
    run.error.message,
    "Cannot load task module data:text/javascript,export const x = 1: expected a function as its " +
      "default export, received x: number",
  );
});

Deno.test("each result does what the table says", async () => {
  await using test = new TestController();
  const { controller } = test;
  const outcome = async (key: string) => (await controller.trigger(key)).outcome;
  assertEquals(await outcome("ok"), "succeeded");
  assertEquals(await outcome("after 5000"), "requeue-after");
  assertEquals(await outcome("after 0"), "succeeded");
  assertEquals(await outcome("empty"), "succeeded");
  assertEquals(await outcome("poll"), "poll-backoff");
  assertEquals(await outcome("fail"), "failed");
  assertEquals(await outcome("terminal"), "terminal");
  assertEquals(await outcome("wrong"), "failed");
  assertEquals(await outcome("both"), "failed");
  assertEquals(await outcome("crash"), "crashed");
  const next = (key: string) => controller.status(key).next;
  assertEquals([next("ok"), next("after 0"), next("terminal")], [undefined, undefined, undefined]);
  assertEquals([next("after 5000"), next("poll")], [5_000, 1_000]);
  assertEquals([next("fail"), next("wrong"), next("both"), next("crash")], [5, 5, 5, 5]);
  const { waited, duration, queue, ...counts } = controller.stats;
  assertEquals(counts, {
    succeeded: 3,
    requeueAfter: 1,
    pollBackoff: 1,
    failed: 3,
    terminal: 1,
    timedOut: 0,
    crashed: 1,
    cancelled: 0,
    aborted: 0,
    stuck: 0,
    staleReads: 0,
    sourceFailures: 0,
  });
  assertEquals([waited?.max, duration?.max, queue.taken, queue.done], [0, 0, 10, 10]);
});

Deno.test("a failure waits 5 ms, doubled each time; a success or requeueAfter forgets them", async () => {
  await using test = new TestController();
  const { controller, clock } = test;
  const key = "fail 3";
  controller.add(key);
  for (let failures = 1; failures <= 3; failures++) {
    assertEquals((await test.ended(failures, key)).attempt, failures);
    assertEquals(controller.status(key).failures, failures);
    assertEquals(controller.status(key).next! - clock.now(), 5 * 2 ** (failures - 1));
    clock.advance(5 * 2 ** (failures - 1));
  }
  assertEquals((await test.ended(4, key)).outcome, "succeeded");
  assertEquals(controller.status(key).failures, 0);
});

Deno.test("a poll comes later each time, and at once when something adds the key", async () => {
  await using test = new TestController();
  const { controller, clock } = test;
  controller.add("poll");
  for (let polls = 1; polls <= 4; polls++) {
    await test.ended(polls);
    assertEquals(controller.status("poll").next! - clock.now(), 1_000 * 2 ** (polls - 1));
    assertEquals(controller.status("poll").failures, 0);
    clock.advance(1_000 * 2 ** (polls - 1));
  }
  await test.ended(5);
  await controller.trigger("poll");
  assertEquals(controller.status("poll").next! - clock.now(), 1_000);
});

Deno.test("a key is never reconciled twice at once, and once more when it was added meanwhile", async () => {
  await using test = new TestController({ concurrency: 3 });
  const { controller } = test;
  const key = `lock ${crypto.randomUUID()}`;
  const { held, release } = holdLock(key.slice(5));
  await held;
  controller.add(key);
  await test.begun(key);
  for (let count = 0; count < 10; count++) controller.add(key);
  assertEquals((await controller.trigger("ok")).outcome, "succeeded");
  assertEquals(controller.running.map(({ key }) => key), [key]);
  await release();
  await test.ended(3);
  await controller.trigger("ok");
  assertEquals(test.outcomes.filter((outcome) => outcome.startsWith("lock")).length, 2);
});

Deno.test("start runs once in each worker before any key", async () => {
  await using test = new TestController({ maxRunsPerWorker: 2 });
  for (const key of ["a", "b", "c"]) await test.controller.trigger(key);
  assertEquals(
    test.log.all("reconcile-log").map(({ message, key }) => `${message} ${key}`),
    ["start a", "begin a", "begin b", "start c", "begin c"],
  );
});

Deno.test("as long as start fails, keys fail and nothing is reconciled", async () => {
  const module = "data:text/javascript,let n = 0;" +
    "export const start = () => { if (++n < 3) throw new Error(`start ${n}`); };" +
    "export default () => {}";
  await using test = new TestController({ module });
  const outcomes: string[] = [];
  for (let count = 0; count < 3; count++) {
    outcomes.push((await test.controller.trigger(`key ${count}`)).outcome);
  }
  assertEquals(outcomes, ["failed", "failed", "succeeded"]);
});

Deno.test("nothing is taken any more after the stop, and who waits for a run hears of it", async () => {
  await using test = new TestController({ paused: true });
  const run = test.controller.trigger("a");
  await test.controller.close();
  await assertRejects(() => run, ClosedError, "it has been stopped");
  await assertRejects(() => test.controller.trigger("a"), ClosedError, "Cannot trigger a");
  assertEquals(test.controller.add("a"), false);
  assertEquals(test.log.all("controller-stopped")[0]!.left, ["a"]);
});

Deno.test("a controller starts and stops in any order", async () => {
  await stressStartStop((signal) => {
    const controller = new Controller(fixture("reconcile"), { signal, onEvent: () => {} });
    controller.add("ok");
    return controller;
  }, { rounds: 10 });
});

Deno.test("to stop in the turn of the start is nothing special", async () => {
  const test = new TestController({ sources: [{ name: "x", run: () => Promise.resolve() }] });
  test.owner.abort();
  await test.controller.finished;
  assertEquals(
    test.log.events.map(({ type }) => type).filter((type) => type !== "source-ended"),
    ["controller-stopping", "controller-stopped"],
  );
  assert(test.controller.sources.length === 0);
});

Deno.test("to stop at any moment of the start leaves no line on stderr", async () => {
  using said = captureReports();
  for (let turns = 0; turns < 30; turns++) {
    const owner = new AbortController();
    const controller = new Controller(fixture("reconcile"), {
      signal: owner.signal,
      minWorkers: turns % 2,
      sources: [fromInterval({ minutes: 1 }, () => ["ok", "wait"])],
    });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    owner.abort();
    await controller.finished;
  }
  assertEquals(said.reports, []);
});

Deno.test("nothing is told to the sink before the constructor has returned", async () => {
  let isMade = false;
  const early: string[] = [];
  const test = new TestController({
    minWorkers: 1,
    onEvent: ({ type }) => void (isMade || early.push(type)),
  });
  isMade = true;
  await using controller = test.controller;
  await controller.synced;
  assertEquals(early, []);
});

Deno.test("a controller that nobody stops is a leak; the owner of a test stops it", async (t) => {
  await using guard = leakGuard(t);
  const test = new TestController();
  await test.controller.trigger("ok");
  const leaks = await guard.leaks();
  assertEquals(leaks.some(({ what }) => what.startsWith("controller")), true);
  {
    await using owner = testOwner(t);
    new TestController({ signal: owner.signal });
  }
  await test.controller.close();
});

Deno.test("when close() resolves nothing is left, not even for a moment", async (t) => {
  await using guard = leakGuard(t, { wait: 0 });
  const test = new TestController({
    concurrency: 2,
    minInterval: 1_000,
    resync: { minutes: 1 },
    sources: [fromInterval({ minutes: 1 }, () => ["ok", "wait"])],
  });
  await test.begun("wait");
  test.controller.add("later", { after: 60_000 });
  await test.controller.close();
  assertEquals(await guard.leaks(), []);
});

Deno.test("requeueAfter can be a Temporal.Duration", async () => {
  const module = "data:text/javascript," +
    "export default () => ({ requeueAfter: Temporal.Duration.from({ minutes: 5 }) })";
  await using test = new TestController({ module });
  assertEquals((await test.controller.trigger("a")).outcome, "requeue-after");
  assertEquals(test.controller.status("a").next, 300_000);
});

for (const result of ["new Error('x')", "new Map([['requeueAfter', 1]])", "new Date()", "[]"]) {
  Deno.test(`a result that only looks empty is a failure: ${result}`, async () => {
    const module = `data:text/javascript,export default () => ${result}`;
    await using test = new TestController({ module });
    assertEquals((await test.controller.trigger("a")).outcome, "failed");
  });
}
