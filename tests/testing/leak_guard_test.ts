import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { every } from "../../src/schedule/every.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { guarded, type LeakError, leakGuard } from "../../src/testing/mod.ts";
import { fixture } from "../support/fixture.ts";

/** Steps that run beside others must not have sanitizers; the test around them has. */
const PARALLEL = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function idleWorker(name: string): Worker {
  return new Worker("data:text/javascript,", { type: "module", name });
}

Deno.test("a test that leaves nothing behind passes, and does not wait", async (t) => {
  const started = performance.now();
  {
    await using guard = leakGuard(t, { wait: 60_000 });
    idleWorker("gone").terminate();
    clearTimeout(setTimeout(() => {}, 1e6));
    await new Deno.Command(Deno.execPath(), { args: ["--version"], stdout: "null" }).spawn().status;
    await using scheduler = new Scheduler({ signal: new AbortController().signal });
    await scheduler.add(fixture("echo"), { schedule: every(1e6) }).trigger();
    await scheduler.close();
    assertEquals(await guard.leaks(), []);
  }
  assert(performance.now() - started < 60_000);
});

Deno.test("the error has what it is, which one, how it is, the test, the line and its parts", async (t) => {
  await using owner = new class {
    readonly controller = new AbortController();
    scheduler = undefined as Scheduler | undefined;
    async [Symbol.asyncDispose]() {
      await this.scheduler?.close();
    }
  }();
  const guard = leakGuard(t, { wait: 0 });
  owner.scheduler = new Scheduler({ signal: owner.controller.signal });
  // Kept, although the next run is far away.
  const options = { name: "echoes", schedule: every(1e6), idleTimeout: Infinity };
  await owner.scheduler.add(fixture("echo"), options).trigger();
  const error: LeakError = await assertRejects(() => guard[Symbol.asyncDispose]()) as LeakError;
  assertStringIncludes(error.message, `Cannot end test "${t.name}": 1 thing is still alive:`);
  const [leak] = error.leaks;
  assertEquals([leak!.what, leak!.state, leak!.step], ["scheduler", "open", `test "${t.name}"`]);
  assertStringIncludes(leak!.made[0]!, "leak_guard_test.ts:");
  assertEquals(leak!.holds.map(({ what }) => what), ["timer queue", "worker pool", "worker"]);
  assert(leak!.holds[2]!.name?.startsWith("echoes#"));
});

Deno.test("8 parallel steps: each guard has the leaks of its own step, also of later callbacks", async (t) => {
  await using _outer = leakGuard(t);
  const ends: Promise<boolean>[] = [];
  for (let number = 0; number < 8; number++) {
    ends.push(t.step({
      name: `step ${number}`,
      ...PARALLEL,
      async fn(t) {
        const guard = leakGuard(t, { wait: 0 });
        const made: Worker[] = [];
        // So that the steps come by turns.
        for (let turn = 0; turn < number % 3; turn++) await nextTurn();
        const first = idleWorker(`first ${number}`);
        made.push(first);
        await new Promise<void>((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            made.push(idleWorker(`second ${number}`));
            port1.close();
            port2.close();
            resolve();
          };
          port2.postMessage(0);
        });
        if (number % 2 === 0) { for (const worker of made.splice(0)) worker.terminate(); }
        const leaks = await guard.leaks();
        for (const worker of made) worker.terminate();
        await guard[Symbol.asyncDispose]();
        const alive = leaks.filter(({ state }) => state === "not terminated");
        assertEquals(
          alive.map(({ name }) => name),
          number % 2 === 0 ? [] : [`first ${number}`, `second ${number}`],
        );
        assertEquals(new Set(alive.map(({ step }) => step)).size, number % 2);
      },
    }));
  }
  assertEquals(await Promise.all(ends), Array(8).fill(true));
});

Deno.test("a step without a guard is counted to its test, not to the step beside it", async (t) => {
  const outer = leakGuard(t);
  const begun = Promise.withResolvers<void>();
  let worker: Worker | undefined;
  await Promise.all([
    t.step({
      name: "guarded",
      ...PARALLEL,
      async fn(t) {
        await using guard = leakGuard(t);
        await begun.promise;
        assertEquals(await guard.leaks(), []);
      },
    }),
    t.step({
      name: "not guarded",
      ...PARALLEL,
      fn() {
        worker = idleWorker("of the step without a guard");
        begun.resolve();
      },
    }),
  ]);
  const [leak] = await outer.leaks();
  assertEquals(leak?.name, "of the step without a guard");
  worker?.terminate();
  await outer[Symbol.asyncDispose]();
});

Deno.test("what a step starts and leaves running is counted to its test once its guard has ended", async (t) => {
  const outer = leakGuard(t);
  const go = Promise.withResolvers<void>();
  const made = Promise.withResolvers<Worker>();
  await t.step("step", async (t) => {
    await using _guard = leakGuard(t);
    void go.promise.then(() => made.resolve(idleWorker("late")));
    await Promise.resolve();
  });
  go.resolve();
  const worker = await made.promise;
  const [leak] = await outer.leaks();
  assertEquals([leak?.name, leak?.step], ["late", `test "${t.name} > step"`]);
  worker.terminate();
  await outer[Symbol.asyncDispose]();
});

Deno.test("a scheduler of the test may keep workers and timers that a step made it make", async (t) => {
  await using _outer = leakGuard(t);
  await using scheduler = new Scheduler({ signal: new AbortController().signal });
  const early = scheduler.add(fixture("echo"), { name: "early", schedule: every(1e6) });
  await t.step("step", async (t) => {
    await using _guard = leakGuard(t);
    await early.trigger();
    await scheduler.add(fixture("echo"), { name: "late", schedule: every(1e6) }).trigger();
  });
});

Deno.test("ignoreCurrent() and `ignore` leave out what is meant to live", async (t) => {
  const guard = leakGuard(t, { wait: 0, ignore: ({ name }) => name === "meant" });
  await using shared = new Scheduler({ signal: new AbortController().signal });
  guard.ignoreCurrent();
  // Made later, by what is ignored.
  await shared.add(fixture("echo"), { schedule: every(1e6) }).trigger();
  const meant = idleWorker("meant");
  const leak = idleWorker("leak");
  assertEquals((await guard.leaks()).map(({ name }) => name), ["leak"]);
  leak.terminate();
  await guard[Symbol.asyncDispose]();
  meant.terminate();
});

Deno.test("a long test keeps no books of what is long gone, and loses nothing that is not", async (t) => {
  const guard = leakGuard(t, { wait: 0 });
  const worker = idleWorker("first of all");
  for (let count = 0; count < 5_000; count++) clearTimeout(setTimeout(() => {}, 1e6));
  const timer = setTimeout(() => {}, 1e6);
  assertEquals((await guard.leaks()).map(({ what }) => what), ["Worker", "timer"]);
  clearTimeout(timer);
  worker.terminate();
  await guard[Symbol.asyncDispose]();
});

Deno.test("workers that close themselves or crash are gone", async (t) => {
  // They have to start before they can end.
  await using _guard = leakGuard(t, { wait: 60_000 });
  for (const source of ["self.close()", "throw 1", "setTimeout(() => Deno.exit(), 1)"]) {
    const worker = new Worker(`data:text/javascript,${source}`, { type: "module" });
    worker.onerror = (event) => event.preventDefault();
  }
});

Deno.test("what cannot be made is no leak", async (t) => {
  await using _guard = leakGuard(t);
  assertEquals(await assertFails(() => new Worker("./no-url", { type: "module" })), true);
  assertEquals(await assertFails(() => new Deno.Command("leash-no-such-program").spawn()), true);
});

async function assertFails(make: () => unknown): Promise<boolean> {
  return await Promise.resolve().then(make).then(() => false, () => true);
}

Deno.test("guarded() shows the error of the test together with what it left behind", async (t) => {
  let worker: Worker | undefined;
  const test = guarded(() => {
    worker = idleWorker("left");
    throw new Error("the test itself");
  }, { wait: 0 });
  const error = await assertRejects(() => test(t), AggregateError);
  assertEquals(error.errors.map(({ name }) => name), ["Error", "LeakError"]);
  worker?.terminate();
  await assertRejects(() => guarded(() => Promise.reject(new TypeError("only")))(t), TypeError);
});

Deno.test("guards put everything back in its place, in any order", async (t) => {
  const before = [Worker, Deno.Command, setTimeout, setInterval, AbortSignal.timeout];
  const step = t.step;
  const outer = leakGuard(t);
  const inner = leakGuard();
  assert(Worker !== before[0] && setTimeout !== before[2]);
  await outer[Symbol.asyncDispose]();
  await inner[Symbol.asyncDispose]();
  await inner[Symbol.asyncDispose]();
  const after = [Worker, Deno.Command, setTimeout, setInterval, AbortSignal.timeout];
  assert(after.every((one, index) => one === before[index]));
  assertEquals(Object.getOwnPropertyDescriptor(t, "step")?.value, step);
});
