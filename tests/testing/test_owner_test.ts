import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { StuckWorkerError } from "../../src/base/errors.ts";
import { every } from "../../src/schedule/every.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import {
  eventually,
  FakeClock,
  type LeakError,
  leakGuard,
  testOwner,
} from "../../src/testing/mod.ts";
import { fixture } from "../support/fixture.ts";
import { holdBusy } from "../support/release.ts";

const PARALLEL = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };

Deno.test("the end aborts with a reason that names the test, and waits for all below", async (t) => {
  await using _guard = leakGuard(t);
  const stopped: string[] = [];
  let signal: AbortSignal;
  {
    await using owner = testOwner(t);
    ({ signal } = owner);
    const below = new AbortController();
    const follows = AbortSignal.any([signal, below.signal]);
    for (const [name, signal] of [["direct", owner.signal], ["any", follows]] as const) {
      const scheduler = new Scheduler({ signal });
      await scheduler.add(fixture("echo"), { schedule: every(1e6) }).trigger();
      void scheduler.finished.then(() => stopped.push(name));
    }
  }
  assertEquals(stopped.sort(), ["any", "direct"]);
  assertEquals(signal.reason.name, "AbortError");
  assertEquals(signal.reason.message, `test "${t.name}" is cleaning up`);
});

Deno.test("every parallel step has its own owner: the end of one stops nothing of another", async (t) => {
  await using _guard = leakGuard(t);
  const first = Promise.withResolvers<void>();
  await Promise.all([
    t.step({
      name: "ends first",
      ...PARALLEL,
      async fn(t) {
        await using _guard = leakGuard(t);
        {
          await using owner = testOwner(t);
          new Scheduler({ signal: owner.signal });
        }
        first.resolve();
      },
    }),
    t.step({
      name: "goes on",
      ...PARALLEL,
      async fn(t) {
        await using _guard = leakGuard(t);
        await using owner = testOwner(t);
        const scheduler = new Scheduler({ signal: owner.signal });
        const task = scheduler.add(fixture("echo"), { schedule: every(1e6) });
        await first.promise;
        assertEquals((await task.trigger(1)).outcome, "succeeded");
      },
    }),
  ]);
});

Deno.test("after the deadline the error names what has not stopped", async (t) => {
  const owner = testOwner(t, { deadline: 50 });
  // The grace period of a clock that stands still never ends.
  const clock = new FakeClock();
  const scheduler = new Scheduler({ signal: owner.signal, clock, onEvent: () => {} });
  using busy = holdBusy();
  const task = scheduler.add(fixture("busy"), { name: "stubborn", schedule: every(1e6) });
  void task.trigger(busy.memory);
  await eventually(() => task.active[0]?.progress !== undefined, { timeout: 60_000 });
  const error = await assertRejects(() => owner[Symbol.asyncDispose]()) as LeakError;
  assertStringIncludes(error.message, `Cannot end test "${t.name}", 50 ms after its abort`);
  const [leak] = error.leaks;
  assertEquals([leak?.what, leak?.state], ["scheduler", "stopping"]);
  assert(leak?.holds.some(({ what, name }) => what === "worker" && name?.startsWith("stubborn#")));
  busy.release();
  await scheduler.finished;
});

Deno.test("a worker that could not be stopped fails the end as it fails close()", async (t) => {
  const owner = testOwner(t);
  const scheduler = new Scheduler({
    signal: owner.signal,
    gracePeriod: 0,
    killTimeout: 100,
    onEvent: () => {},
  });
  using busy = holdBusy();
  const task = scheduler.add(fixture("busy"), { name: "spins", schedule: every(1e6) });
  void task.trigger(busy.memory);
  await eventually(() => task.active[0]?.progress !== undefined, { timeout: 60_000 });
  await assertRejects(() => owner[Symbol.asyncDispose](), StuckWorkerError, "spins#");
});
