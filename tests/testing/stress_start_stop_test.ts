import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { StuckWorkerError } from "../../src/base/errors.ts";
import { every } from "../../src/schedule/every.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import {
  LeakError,
  leakGuard,
  type StressedService,
  stressStartStop,
} from "../../src/testing/mod.ts";
import { fixture } from "../support/fixture.ts";

Deno.test("a scheduler survives any order of stops, with runs under way", async (t) => {
  await using _guard = leakGuard(t);
  await stressStartStop((signal) => {
    const scheduler = new Scheduler({ signal, onEvent: () => {}, gracePeriod: 0 });
    scheduler.add(fixture("waits"), { schedule: every(1e6, { immediate: true }) });
    return scheduler;
  }, { rounds: 6, allow: (error) => error instanceof StuckWorkerError });
});

Deno.test("every call is made sometime, and the seed brings the same calls again", async (t) => {
  await using _guard = leakGuard(t);
  const record = async (seed: number): Promise<string[]> => {
    const calls: string[] = [];
    const note = (name: string) => () => Promise.resolve(void calls.push(name));
    await stressStartStop((signal) => {
      signal.addEventListener("abort", note("abort"), { once: true });
      return { start: note("start"), close: note("close"), [Symbol.asyncDispose]: note("dispose") };
    }, { seed, rounds: 5 });
    return calls;
  };
  const calls = await record(7);
  assertEquals(new Set(calls).size, 4);
  assertEquals(await record(7), calls);
});

Deno.test("a service that fails is named with its calls and the seed", async (t) => {
  await using _guard = leakGuard(t);
  const failing = (service: StressedService, message: RegExp, timeout = 60_000) =>
    assertRejects(() => stressStartStop(() => service, { seed: 1, timeout })).then((error) =>
      assertMatch((error as Error).message, message)
    );
  const cause = new Error("no");
  await failing(
    { close: () => Promise.reject(cause) },
    /close failed in round 1 of seed 1: .*close/,
  );
  await failing({ close: () => new Promise(() => {}) }, /it has not stopped within 20 ms/, 20);
  await failing(
    { close: () => Promise.resolve(), finished: Promise.reject(cause) },
    /finished rejects in round 1/,
  );
});

Deno.test("a service that leaves a timer behind is found", async () => {
  const timers: ReturnType<typeof setInterval>[] = [];
  const error = await assertRejects(
    () =>
      stressStartStop(() => {
        timers.push(setInterval(() => {}, 1e6));
        return { close: () => Promise.resolve() };
      }),
    LeakError,
    "round 1 of seed",
  );
  assertEquals(error.leaks[0]?.what, "interval");
  for (const timer of timers) clearInterval(timer);
});
