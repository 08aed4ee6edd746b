import { assertEquals, assertStringIncludes } from "@std/assert";
import { Controller } from "../../src/reconcile/controller.ts";
import { eventually, guardTests } from "../../src/testing/mod.ts";
import { captureReports } from "../base/_capture_reports.ts";
import { fixture } from "../support/fixture.ts";
import { TestController } from "../support/test_controller.ts";

guardTests();

Deno.test("a key that never rests, and reacts to itself, is reported", async () => {
  let runs = 0;
  await using test: TestController = new TestController({
    hotLoop: { runs: 5, within: { seconds: 10 } },
    onEvent(event) {
      test.log.sink(event);
      // As a status does that is written in each run, and watched.
      if (event.type === "reconcile-started" && ++runs < 8) test.controller.add(event.key);
    },
  });
  test.controller.add("ok");
  await test.ended(8);
  assertEquals(
    test.log.all("reconcile-hot-loop").map(({ key, runs, within, selfTriggered }) => [
      ...[key, runs, within, selfTriggered],
    ]),
    [["ok", 5, 10_000, 5]],
  );
});

Deno.test("a key that asks for a run soon is no hot loop", async () => {
  await using test = new TestController({ hotLoop: { runs: 3, within: { seconds: 10 } } });
  test.controller.add("after 10");
  for (let count = 1; count < 6; count++) {
    await test.ended(count);
    test.clock.advance(10);
  }
  await test.ended(6);
  assertEquals(test.log.all("reconcile-hot-loop"), []);
});

Deno.test("failures, and a few runs now and then, are no hot loop", async () => {
  await using test = new TestController({ hotLoop: { runs: 3, within: { seconds: 10 } } });
  const { controller, clock } = test;
  for (let count = 0; count < 4; count++) await controller.trigger("fail");
  for (let count = 0; count < 4; count++) {
    await controller.trigger("ok");
    clock.advance(5_000);
  }
  assertEquals(test.log.all("reconcile-hot-loop"), []);
});

Deno.test("runs of a key begin no sooner than minInterval after each other", async () => {
  await using test = new TestController({ minInterval: { seconds: 1 } });
  const { controller, clock } = test;
  await controller.trigger("ok");
  const second = controller.trigger("ok");
  assertEquals(controller.status("ok").next, 1_000);
  clock.advance(999);
  assertEquals(test.runs.length, 1);
  clock.advance(1);
  assertEquals((await second).outcome, "succeeded");
  await controller.trigger("after 1");
  // Raised to the interval.
  assertEquals(controller.status("after 1").next! - clock.now(), 1_000);
  await controller.trigger("fail");
  assertEquals(controller.status("fail").next! - clock.now(), 1_005);
});

Deno.test("a deferred key waits, however it is added, and however long that is", async () => {
  await using test = new TestController();
  const { controller, clock } = test;
  controller.deferNext("ok", { minutes: 11 });
  const run = controller.trigger("ok");
  assertEquals(controller.status("ok").next, 660_000);
  clock.advance(659_999);
  assertEquals(test.runs, []);
  clock.advance(1);
  assertEquals((await run).outcome, "succeeded");
  for (const until of [new Date(720_000), Temporal.Instant.fromEpochMilliseconds(720_000)]) {
    controller.deferNext("date", until);
    controller.add("date");
    assertEquals(controller.status("date").next, 720_000);
  }
});

Deno.test("a key whose reads are stale is put off by 100 ms, and not run", async () => {
  let isFresh = false;
  await using test = new TestController({ isFresh: () => isFresh });
  const { controller, clock } = test;
  const run = controller.trigger("ok");
  await eventually(() => assertEquals(controller.stats.staleReads, 1));
  assertEquals([test.runs.length, controller.status("ok").next], [0, 100]);
  clock.advance(100);
  await eventually(() => assertEquals(controller.stats.staleReads, 2));
  isFresh = true;
  clock.advance(100);
  assertEquals((await run).outcome, "succeeded");
});

Deno.test("a key keeps its priority when it is run again, unless its result has another", async () => {
  const module = "data:text/javascript," +
    "export default (key) => key === 'other' ? { requeueAfter: 1, priority: 5 } : { requeueAfter: 1 }";
  await using test = new TestController({ module, paused: true });
  const { controller, clock } = test;
  controller.add("keeps", { priority: 10 });
  controller.add("other", { priority: 20 });
  controller.resume();
  await test.ended(2);
  controller.pause();
  clock.advance(1);
  controller.add("seven", { priority: 7 });
  controller.resume();
  await test.ended(5);
  assertEquals(test.runs.map(({ key }) => key), ["other", "keeps", "keeps", "seven", "other"]);
});

Deno.test("a key that has failed keeps its priority, too", async () => {
  await using test = new TestController({ paused: true });
  const { controller, clock } = test;
  controller.add("fail 1", { priority: 10 });
  controller.resume();
  await test.ended(1);
  controller.pause();
  controller.add("ok", { priority: 7 });
  clock.advance(5);
  controller.resume();
  await test.ended(3);
  assertEquals(test.runs.map(({ key }) => key), ["fail 1", "fail 1", "ok"]);
});

Deno.test("a rate limiter that is broken ends nothing: that is said, and keys wait as usual", async () => {
  using said = captureReports();
  const broken = (): never => {
    throw new Error("no memory");
  };
  for (
    const rateLimiter of [
      { delay: () => NaN, failures: () => -1, forget: broken },
      { delay: broken, failures: broken, forget: () => {} },
    ]
  ) {
    said.reports.length = 0;
    await using test = new TestController({ rateLimiter });
    const { controller } = test;
    for (const delay of [5, 10]) {
      await controller.trigger("fail");
      assertEquals(controller.status("fail").next! - test.clock.now(), delay);
    }
    assertEquals(controller.status("fail").failures, 2);
    assertEquals((await controller.trigger("ok")).outcome, "succeeded");
    assertStringIncludes(`${said.reports[0]}`, "the rate limiter failed for fail");
  }
});

Deno.test("a question for freshness that fails is reported, and the key is reconciled", async () => {
  using said = captureReports();
  await using test = new TestController({
    isFresh: () => {
      throw new Error("not connected");
    },
  });
  assertEquals((await test.controller.trigger("ok")).outcome, "succeeded");
  assertStringIncludes(`${said.reports}`, "isFresh failed for ok");
});

Deno.test("two controllers of one name do not know each other", async () => {
  const owner = new AbortController();
  const make = () =>
    new Controller(fixture("reconcile"), { signal: owner.signal, name: "same", onEvent: () => {} });
  await using first = make();
  await using second = make();
  assertEquals((await first.trigger("ok")).outcome, "succeeded");
  await first.close();
  assertEquals((await second.trigger("ok")).outcome, "succeeded");
});

Deno.test("workers have no more rights than they are given, and need none to be loaded", async () => {
  const module =
    "data:text/javascript,export default () => { Deno.readTextFileSync('/etc/hosts'); }";
  await using test = new TestController({ module, permissions: "none" });
  const { error } = await test.controller.trigger("a");
  assertEquals((error as Error).name, "NotCapable");
  await using file = new TestController({ permissions: "none" });
  assertEquals((await file.controller.trigger("ok")).outcome, "succeeded");
});

Deno.test("a key whose reads are stale is put off by 100 ms also with a longer interval", async () => {
  let isFresh = false;
  await using test = new TestController({ minInterval: { minutes: 1 }, isFresh: () => isFresh });
  const { controller, clock } = test;
  controller.add("ok");
  await eventually(() => assertEquals(controller.stats.staleReads, 1));
  assertEquals(controller.status("ok").next, 100);
  isFresh = true;
  clock.advance(100);
  await test.ended(1);
  controller.add("ok");
  assertEquals(controller.status("ok").next, 60_100, "the interval counts from the begin of a run");
});

Deno.test("a key whose reads are stale keeps its priority, and is left by a drain", async () => {
  let isFresh = false;
  await using test = new TestController({ isFresh: (key) => key !== "stale" || isFresh });
  const { controller, clock } = test;
  controller.add("stale", { priority: 10 });
  await eventually(() => assertEquals(controller.stats.staleReads, 1));
  isFresh = true;
  controller.pause();
  controller.add("ok", { priority: 7 });
  clock.advance(100);
  controller.resume();
  await test.ended(2);
  assertEquals(test.runs.map(({ key }) => key), ["stale", "ok"]);
  isFresh = false;
  controller.add("wait");
  await test.begun("wait");
  controller.add("stale");
  const closed = controller.close({ drain: true });
  controller.cancel("wait");
  await closed;
  const { left, delayed } = test.log.all("controller-stopped")[0]!;
  assertEquals([left, delayed], [[], ["stale"]]);
});

for (const result of ["{ requeueAfter: 600_000 }", "{ pollBackoff: true }", "undefined"]) {
  Deno.test(`a key that is added after each run is reported, whatever it asks for: ${result}`, async () => {
    const module = `data:text/javascript,export default () => (${result})`;
    await using test = new TestController({ module, hotLoop: { runs: 5 } });
    const { controller } = test;
    for (let runs = 1; runs <= 6; runs++) {
      // As a watch does, which tells of the change of a run a moment after its end.
      controller.add("a");
      await test.ended(runs);
    }
    assertEquals(test.log.all("reconcile-hot-loop").map(({ runs }) => runs), [5]);
  });
}

Deno.test("a key that asks for polls or runs soon is no hot loop", async () => {
  const module = "data:text/javascript,export default (key) => " +
    "key === 'poll' ? { pollBackoff: true } : { requeueAfter: 1 }";
  await using test = new TestController({
    module,
    concurrency: 2,
    hotLoop: { runs: 3 },
    pollBackoff: { initial: 1, max: 1 },
  });
  test.controller.add("poll");
  test.controller.add("after");
  for (let runs = 1; runs < 6; runs++) {
    await test.ended(2 * runs);
    test.clock.advance(1);
  }
  assertEquals(test.log.all("reconcile-hot-loop"), []);
});

Deno.test("a poll begins anew after a success", async () => {
  const module = "data:text/javascript,let n = 0;" +
    "export default () => ++n === 3 ? { requeueAfter: 1 } : { pollBackoff: true }";
  await using test = new TestController({ module });
  const { controller, clock } = test;
  controller.add("a");
  const waits: number[] = [];
  for (let runs = 1; runs <= 4; runs++) {
    await test.ended(runs);
    waits.push(controller.status("a").next! - clock.now());
    clock.advance(waits.at(-1)!);
  }
  assertEquals(waits, [1_000, 2_000, 1, 1_000]);
});

Deno.test("a key that is given up begins anew as to failures", async () => {
  const module = "data:text/javascript,let n = 0; export default () => { " +
    "throw Object.assign(new Error('x'), ++n === 3 ? { name: 'TerminalError' } : {}) }";
  await using test = new TestController({ module });
  const { controller } = test;
  const failures: number[] = [];
  for (let count = 0; count < 4; count++) {
    await controller.trigger("a");
    failures.push(controller.status("a").failures);
  }
  assertEquals(failures, [1, 2, 0, 1]);
});

Deno.test("a key whose reads stay stale is reported, once", async () => {
  await using test = new TestController({ isFresh: () => false, slowAfter: { seconds: 1 } });
  const { controller, clock } = test;
  controller.add("ok");
  for (let times = 1; times <= 15; times++) {
    await eventually(() => assertEquals(controller.stats.staleReads, times));
    clock.advance(100);
  }
  const stale = test.log.all("reconcile-stale");
  assertEquals(stale.map(({ key, staleFor }) => [key, staleFor]), [["ok", 1_000]]);
});

Deno.test("a key is not stale for as long as nobody looked", async () => {
  await using test = new TestController({ isFresh: () => false, slowAfter: { minutes: 1 } });
  const { controller, clock } = test;
  controller.add("ok");
  await eventually(() => assertEquals(controller.stats.staleReads, 1));
  controller.pause();
  clock.advance(3_600_000);
  controller.resume();
  await eventually(() => assertEquals(controller.stats.staleReads, 2));
  assertEquals(test.log.all("reconcile-stale"), []);
});
