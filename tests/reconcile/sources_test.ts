import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ClosedError } from "../../src/base/errors.ts";
import type { Source, SourceSink } from "../../src/reconcile/source.ts";
import { eventually, guardTests } from "../../src/testing/mod.ts";
import { TestController } from "../support/test_controller.ts";

guardTests();

/** A source that a test feeds by hand. */
class HandSource implements Source {
  readonly name: string;
  runs = 0;
  #sink: SourceSink | undefined;
  #end = Promise.withResolvers<void>();

  constructor(name: string) {
    this.name = name;
  }

  /** Of the last run. */
  get sink(): SourceSink {
    return this.#sink!;
  }

  async run(sink: SourceSink, signal: AbortSignal): Promise<void> {
    this.runs++;
    this.#sink = sink;
    this.#end = Promise.withResolvers();
    signal.addEventListener("abort", () => this.#end.resolve());
    await this.#end.promise;
  }

  fail(error: unknown): void {
    this.#end.reject(error);
  }
}

Deno.test("nothing is reconciled before every source is synced", async () => {
  const [first, second] = [new HandSource("first"), new HandSource("second")];
  await using test = new TestController({ sources: [first, second] });
  await eventually(() => assertEquals([first.runs, second.runs], [1, 1]));
  first.sink.add("a");
  first.sink.synced();
  assertEquals(test.controller.sources.map(({ name, state }) => `${name} ${state}`), [
    "first synced",
    "second starting",
  ]);
  second.sink.add("b");
  assertEquals([test.controller.queued, test.controller.running], [2, []]);
  second.sink.synced();
  await test.controller.synced;
  await test.ended(2);
  assertEquals(
    test.log.events.map(({ type }) => type).slice(0, 4),
    ["source-synced", "source-synced", "controller-synced", "reconcile-started"],
  );
});

Deno.test("what was there at the beginning comes after what has changed", async () => {
  const source = new HandSource("keys");
  await using test = new TestController({ sources: [source], paused: true });
  await eventually(() => assertEquals(source.runs, 1));
  source.sink.add("old");
  source.sink.add("urgent", { priority: 10 });
  source.sink.synced();
  source.sink.add("new");
  test.controller.resume();
  await test.ended(3);
  assertEquals(test.runs.map(({ key }) => key), ["urgent", "new", "old"]);
});

Deno.test("sources that do not sync in time stop the controller, and are named", async () => {
  const [good, bad] = [new HandSource("good"), new HandSource("bad")];
  const test = new TestController({ sources: [good, bad] });
  await eventually(() => assertEquals([good.runs, bad.runs], [1, 1]));
  good.sink.synced();
  test.clock.advance(119_999);
  assertEquals(test.log.all("controller-stopping"), []);
  test.clock.advance(1);
  const error = await assertRejects(
    () => test.controller.finished,
    Error,
    `Cannot start controller "${test.controller.name}": bad did not sync within 120000 ms`,
  );
  assertEquals(await assertRejects(() => test.controller.synced), error);
  await assertRejects(() => test.controller.close(), Error, "did not sync");
});

Deno.test("a source that fails is run again, each time later, and says so", async () => {
  const source = new HandSource("keys");
  await using test = new TestController({ sources: [source] });
  const error = new Error("connection lost");
  for (let failures = 1; failures <= 6; failures++) {
    await eventually(() => assertEquals(source.runs, failures));
    source.fail(error);
    const event = await test.log.until("source-failed", failures);
    assertEquals([event.source, event.error], ["keys", error]);
    assertEquals(event.retryIn, Math.min(1_000 * 2 ** (failures - 1), 30_000));
    assertEquals(test.controller.sources[0]!.state, "failed");
    await eventually(() => assertEquals(test.clock.timers > 1, true));
    await new Promise((resolve) => setTimeout(resolve, 0));
    test.clock.advance(event.retryIn);
  }
  await eventually(() => assertEquals(source.runs, 7));
  assertEquals(test.controller.stats.sourceFailures, 6);
  source.sink.synced();
  source.sink.add("a");
  await test.ended(1);
});

Deno.test("a source that was removed adds nothing more; the others go on", async () => {
  const sources = [new HandSource("a"), new HandSource("b")];
  await using test = new TestController();
  const { controller } = test;
  const [first] = sources.map((source) => controller.addSource(source));
  await eventually(() => assertEquals(sources.map(({ runs }) => runs), [1, 1]));
  const [a, b] = sources.map(({ sink }) => sink);
  const removed = first!.remove();
  a!.add("too late");
  b!.add("b");
  await removed;
  await test.ended(1);
  assertEquals(test.outcomes, ["b: succeeded"]);
  assertEquals(controller.sources.map(({ name }) => name), ["b"]);
  assertEquals(test.log.all("source-ended").map(({ source, removed }) => [source, removed]), [
    ["a", true],
  ]);
});

Deno.test("a thousand sources added and removed leave nothing", async () => {
  await using test = new TestController();
  const { controller, clock, log } = test;
  await controller.trigger("ok");
  const before = clock.timers;
  for (let count = 0; count < 1_000; count++) {
    const source = controller.addSource(new HandSource(`source ${count}`));
    if (count % 2 === 0) await source.remove();
    else void source.remove();
  }
  await log.until("source-ended", 1_000);
  assertEquals([controller.sources.length, clock.timers], [0, before]);
});

Deno.test("all keys that sources can list are queued again at each resync, after others", async () => {
  const listed = ["a", "b"];
  const source: Source = {
    name: "keys",
    list: () => listed,
    run: (sink, signal) => {
      sink.synced();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  await using test = new TestController({ resync: { minutes: 10 }, sources: [source] });
  await test.controller.synced;
  assertEquals(test.controller.queued, 0);
  test.clock.advance(600_000);
  await test.ended(2);
  assertEquals(test.outcomes, ["a: succeeded", "b: succeeded"]);
  test.clock.advance(600_000);
  await test.ended(4);
});

Deno.test("a stopped controller takes no source", async () => {
  const test = new TestController();
  await test.controller.close();
  assertThrows(() => test.controller.addSource(new HandSource("x")), ClosedError, 'source "x"');
});

Deno.test("a source that does not end is named by close()", async () => {
  const end = Promise.withResolvers<void>();
  const test = new TestController({ sources: [{ name: "deaf", run: () => end.promise }] });
  await eventually(() => assertEquals(test.controller.sources.length, 1));
  const closed = test.controller.close({ gracePeriod: 5_000 });
  await test.log.until("controller-stopping");
  test.clock.advance(5_000);
  await assertRejects(
    () => closed,
    Error,
    `Cannot stop controller "${test.controller.name}": deaf did not end within 5000 ms`,
  );
  end.resolve();
  await test.log.until("source-ended");
});

Deno.test("a source that waits for another try can be removed", async () => {
  await using test = new TestController();
  const source = test.controller.addSource({
    name: "broken",
    run: () => Promise.reject(new Error("no")),
  });
  await test.log.until("source-failed");
  await source.remove();
  assertEquals([source.state, test.controller.sources.length], ["ended", 0]);
});

Deno.test("resume() does not begin before every source is synced", async () => {
  const source = new HandSource("keys");
  await using test = new TestController({ sources: [source], paused: true });
  const { controller } = test;
  await eventually(() => assertEquals(source.runs, 1));
  controller.add("ok");
  controller.resume();
  controller.pause();
  controller.resume();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals([controller.running, controller.queued], [[], 1]);
  source.sink.synced();
  await test.ended(1);
});

Deno.test("a source that ends, or is removed, before it is synced holds up nobody", async () => {
  const source = new HandSource("keys");
  await using test = new TestController({
    sources: [{ name: "empty", run: () => Promise.resolve() }, source],
  });
  const { controller } = test;
  await eventually(() => assertEquals(source.runs, 1));
  await controller.sources.find(({ name }) => name === "keys")!.remove();
  await controller.synced;
  assertEquals((await controller.trigger("ok")).outcome, "succeeded");
  const late = new HandSource("late");
  controller.addSource(late);
  await eventually(() => assertEquals(late.runs, 1));
  late.sink.synced();
  assertEquals(test.log.all("controller-synced").length, 1);
});

Deno.test("a source that ran for long starts anew with short waits when it fails", async () => {
  const source = new HandSource("keys");
  await using test = new TestController({ sources: [source] });
  const waits: number[] = [];
  for (let failures = 1; failures <= 4; failures++) {
    await eventually(() => assertEquals(source.runs, failures));
    source.sink.synced();
    if (failures === 4) test.clock.advance(30_000);
    source.fail(new Error("lost"));
    const { retryIn } = await test.log.until("source-failed", failures);
    waits.push(retryIn);
    await new Promise((resolve) => setTimeout(resolve, 0));
    test.clock.advance(retryIn);
  }
  assertEquals(waits, [1_000, 2_000, 4_000, 1_000]);
});

Deno.test("a resync lists no source that lists already", async () => {
  const gate = Promise.withResolvers<string[]>();
  let lists = 0;
  const source: Source = {
    name: "slow",
    list: () => {
      lists++;
      return gate.promise;
    },
    run: (sink, signal) => {
      sink.synced();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  await using test = new TestController({ resync: 1_000, sources: [source] });
  await test.controller.synced;
  for (let count = 0; count < 3; count++) test.clock.advance(1_000);
  assertEquals(lists, 1);
  gate.resolve(["a"]);
  await test.ended(1);
});

Deno.test("what is no source is refused before anything lives", async () => {
  const { signal } = new AbortController();
  for (const sources of [[undefined], [{ name: "x" }], {}, "keys"] as unknown as Source[][]) {
    assertThrows(
      () => new TestController({ signal, minWorkers: 1, sources }),
      TypeError,
      "Cannot make",
    );
  }
  await using test = new TestController();
  assertThrows(
    () => test.controller.addSource({ name: "x" } as unknown as Source),
    TypeError,
    "expected a source",
  );
});

Deno.test("a resync that fails is told, with the time of the next one", async () => {
  const source: Source = {
    name: "keys",
    list: () => {
      throw new Error("no connection");
    },
    run: (sink, signal) => {
      sink.synced();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  };
  await using test = new TestController({ resync: { minutes: 10 }, sources: [source] });
  await test.controller.synced;
  test.clock.advance(600_000);
  assertEquals((await test.log.until("source-failed")).retryIn, 600_000);
  assertEquals(test.controller.sources[0]!.state, "synced");
});
