import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { holdLock } from "../../src/base/web_locks.ts";
import { ISOLATIONS } from "../../src/pool/isolation.ts";
import { WorkLeftError } from "../../src/reconcile/work_left.ts";
import { consistently, eventually, guardTests } from "../../src/testing/mod.ts";
import { TestController } from "../support/test_controller.ts";

guardTests();

for (const isolation of ISOLATIONS) {
  Deno.test(`${isolation}: a reconcile that hangs is ended, and the others go on`, async () => {
    await using test = new TestController({
      isolation,
      timeout: { seconds: 30 },
      gracePeriod: { seconds: 1 },
      slowAfter: { seconds: 20 },
    });
    const { controller, clock } = test;
    controller.add("hang");
    await test.begun("hang");
    for (const key of ["b", "c", "d"]) controller.add(key);
    clock.advance(20_000);
    const slow = test.log.all("reconcile-slow");
    assertEquals(slow.map(({ key, runningFor }) => [key, runningFor]), [["hang", 20_000]]);
    assertEquals(controller.running.map(({ key, runningFor, slow }) => [key, runningFor, slow]), [
      ["hang", 20_000, true],
    ]);
    clock.advance(10_000);
    clock.advance(1_000);
    assertEquals((await test.ended(1)).ending, "killed");
    await test.ended(4);
    assertEquals(
      test.outcomes,
      ["hang: timed-out", "b: succeeded", "c: succeeded", "d: succeeded"],
    );
    assertEquals(controller.status("hang").failures, 1);
    assertEquals(controller.stats.timedOut, 1);
    // It comes back by itself.
    clock.advance(5);
    await eventually(() => assertEquals(controller.running.map(({ key }) => key), ["hang"]), {
      timeout: 60_000,
    });
  });
}

Deno.test("thread: a reconcile that spins is ended after its timeout", async () => {
  await using test = new TestController({ isolation: "thread", timeout: 30_000, gracePeriod: 0 });
  test.controller.add("spin");
  await test.begun("spin");
  test.controller.add("b");
  test.clock.advance(30_000);
  await test.ended(2);
  assertEquals(test.outcomes, ["spin: timed-out", "b: succeeded"]);
});

Deno.test("timeout, cancellation and stop are three outcomes", async () => {
  const test = new TestController({ timeout: 1_000, concurrency: 3 });
  const { controller } = test;
  controller.add("wait 1");
  await test.begun("wait 1");
  test.clock.advance(1_000);
  await test.ended(1);
  controller.add("wait 2");
  await test.begun("wait 2");
  const reason = new Error("not now");
  assertEquals(controller.cancel("wait 2", reason), true);
  assertEquals(controller.cancel("nobody"), false);
  assertStrictEquals((await test.ended(2)).error, reason);
  controller.add("wait 3");
  await test.begun("wait 3");
  await controller.close();
  assertEquals(test.outcomes, ["wait 1: timed-out", "wait 2: cancelled", "wait 3: aborted"]);
  const { timedOut, cancelled, aborted, failed } = controller.stats;
  assertEquals([timedOut, cancelled, aborted, failed], [1, 1, 1, 0]);
});

Deno.test("a drain reconciles what is queued, and not what waits for its time", async () => {
  const test = new TestController();
  const { controller } = test;
  await controller.synced;
  for (const key of ["a", "b", "fail"]) controller.add(key);
  controller.add("later", { after: 1 });
  await controller.close({ drain: true });
  assertEquals(test.outcomes, ["a: succeeded", "b: succeeded", "fail: failed"]);
  assertEquals(test.log.all("controller-stopped").map(({ left }) => left), [[]]);
});

Deno.test("a drain of a controller that is paused begins nothing, and says what is left", async () => {
  const test = new TestController();
  const { controller } = test;
  controller.add("wait");
  await test.begun("wait");
  controller.pause();
  for (const key of ["a", "b"]) controller.add(key);
  const closed = controller.close({ drain: true });
  controller.cancel("wait");
  await closed;
  assertEquals(test.outcomes, ["wait: cancelled"]);
  assertEquals(test.log.all("controller-stopped").map(({ left }) => left), [["a", "b"]]);
});

Deno.test("a drain that is not done in time says what is left", async () => {
  const test = new TestController();
  const { controller, clock } = test;
  controller.add("wait");
  await test.begun("wait");
  controller.add("b");
  const closed = controller.close({ drain: true, gracePeriod: { seconds: 5 } });
  await test.log.until("controller-stopping");
  clock.advance(5_000);
  const error = await assertRejects(() => closed, WorkLeftError);
  assertEquals([error.left.inHand, error.left.queued], [["wait"], ["b"]]);
  assertEquals(test.outcomes, ["wait: aborted"]);
});

Deno.test("a second close, or the abort of the owner, ends a drain", async () => {
  for (const how of ["close", "abort"] as const) {
    const test = new TestController();
    const { controller } = test;
    controller.add("wait");
    await test.begun("wait");
    controller.add("b");
    const closed = controller.close({ drain: true });
    await test.log.until("controller-stopping");
    if (how === "close") void controller.close();
    else test.owner.abort();
    await closed;
    assertEquals(test.outcomes, ["wait: aborted"]);
    assertEquals(test.log.all("controller-stopped")[0]!.left, ["b"]);
  }
});

Deno.test("a stop waits for those that run, and hands down its reason", async () => {
  const test = new TestController({ concurrency: 2 });
  const key = `lock ${crypto.randomUUID()}`;
  const { held, release } = holdLock(key.slice(5));
  await held;
  test.controller.add(key);
  test.controller.add("wait");
  await Promise.all([test.begun(key), test.begun("wait")]);
  const reason = new Error("enough");
  test.owner.abort(reason);
  let isFinished = false;
  void test.controller.finished.then(() => isFinished = true);
  assertStrictEquals((await test.ended(1)).error, reason);
  assertEquals(isFinished, false);
  await release();
  await test.controller.finished;
  assertEquals(test.runs.map(({ outcome, ending }) => `${outcome} ${ending}`), [
    "aborted threw",
    "aborted returned",
  ]);
});

Deno.test("worker: a reconcile that cannot be ended is counted, and the others go on", async () => {
  await using test = new TestController({ timeout: 1_000, gracePeriod: 0, killTimeout: 50 });
  const { controller, log } = test;
  // Nothing could end it from outside.
  const variable = `LEASH_TEST_${crypto.randomUUID()}`;
  Deno.env.set(variable, "1");
  controller.add(`spin ${variable}`);
  await test.begun(`spin ${variable}`);
  controller.add("b");
  test.clock.advance(1_000);
  await test.ended(2);
  assertEquals(test.outcomes, [`spin ${variable}: timed-out`, "b: succeeded"]);
  assertEquals([test.runs[0]!.ending, controller.stats.stuck], ["stuck", 1]);
  Deno.env.delete(variable);
  assertEquals((await log.until("worker-exited")).wasStuck, true);
});

Deno.test("while it is paused nothing begins; sources go on", async () => {
  await using test = new TestController({
    paused: true,
    sources: [{
      name: "keys",
      run(sink) {
        sink.add("a");
        sink.synced();
        return Promise.resolve();
      },
    }],
  });
  const { controller } = test;
  await controller.synced;
  assertEquals([controller.queued, controller.status("a").queued], [1, true]);
  controller.resume();
  await test.ended(1);
  controller.pause();
  const run = controller.trigger("b");
  assertEquals([controller.queued, controller.paused], [1, true]);
  controller.resume();
  assertEquals((await run).outcome, "succeeded");
});

Deno.test("the status of each of 100,000 keys: none looks at all the others", async () => {
  await using test = new TestController({ paused: true });
  const { controller } = test;
  for (let index = 0; index < 100_000; index++) controller.add(`${index}`);
  // Some minutes, if each did.
  for (let index = 0; index < 100_000; index++) assert(controller.status(`${index}`).queued);
});

Deno.test("a second call can give a drain less time", async () => {
  const test = new TestController();
  const { controller, clock } = test;
  controller.add("hang");
  await test.begun("hang");
  const closed = controller.close({ drain: true, gracePeriod: { seconds: 60 } });
  await test.log.until("controller-stopping");
  controller.close({ drain: true, gracePeriod: { seconds: 5 } }).catch(() => {});
  clock.advance(4_999);
  await consistently(() => assertEquals(test.runs, []), { duration: 100 });
  clock.advance(1);
  await assertRejects(() => closed, WorkLeftError, "within 5000 ms");
  assertEquals(test.outcomes, ["hang: aborted"]);
});

Deno.test("a second call that asks for nothing does not shorten the grace period", async () => {
  const test = new TestController({ gracePeriod: { seconds: 1 } });
  const { controller, clock } = test;
  controller.add("hang");
  await test.begun("hang");
  const closed = controller.close({ gracePeriod: { seconds: 60 } });
  await test.log.until("controller-stopping");
  for (const drain of [true, false]) void controller.close({ drain });
  clock.advance(59_999);
  await consistently(() => assertEquals(test.runs, []), { duration: 300 });
  clock.advance(1);
  await closed;
});
