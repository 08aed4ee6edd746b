import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ClosedError } from "../../src/base/errors.ts";
import { WorkerPool } from "../../src/pool/worker_pool.ts";
import { every } from "../../src/schedule/every.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { eventually, guardTests } from "../../src/testing/mod.ts";
import { fixture } from "../support/fixture.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

guardTests();

/** A service that says when it is stopped, and how. */
function service(name: string, log: string[], end: () => unknown = () => {}) {
  const finished = Promise.withResolvers<void>();
  finished.promise.catch(() => {});
  return {
    name,
    finished: finished.promise,
    async close({ gracePeriod, reason }: { gracePeriod: number; reason: unknown }) {
      log.push(`${name} ${gracePeriod} ${reason}`);
      await end();
      finished.resolve();
    },
  };
}

Deno.test("services stop in the reverse order of adding, within the grace period", async () => {
  const log: string[] = [];
  const scheduler = new Scheduler({ signal: new AbortController().signal, onEvent: () => {} });
  const signals: AbortSignal[] = [];
  for (const name of ["first", "second"]) {
    scheduler.own((signal) => {
      signals.push(signal);
      return service(name, log, () => log.push(`${name} closed, ${signal.aborted}`));
    });
  }
  assertEquals(scheduler.services.map(({ name }) => name), ["first", "second"]);
  await scheduler.close({ gracePeriod: 60_000, reason: "enough" });
  assertEquals(log.map((line) => line.replace(/ \d+\.?\d* /, " ~ ")), [
    "second ~ enough",
    "second closed, false",
    "first ~ enough",
    "first closed, false",
  ]);
  assertEquals(signals.map(({ aborted, reason }) => [aborted, reason]), [
    [true, "enough"],
    [true, "enough"],
  ]);
  assertThrows(() => scheduler.own(() => service("late", log)), ClosedError, "own a service");
});

Deno.test("a pool is owned like a task: gone when the scheduler is", async () => {
  await using test = new TestScheduler();
  const pool = test.scheduler.own((signal) =>
    new WorkerPool(fixture("echo"), { signal, name: "echo" })
  );
  assertEquals(await pool.run(1), 1);
  await test.scheduler.close();
  assertEquals(pool.workers, []);
  await assertRejects(() => pool.run(1), ClosedError);
});

Deno.test("names are unique among tasks and services; an ended service frees its name", async () => {
  const log: string[] = [];
  await using test = new TestScheduler();
  const { scheduler } = test;
  const first = scheduler.own(() => service("a", log));
  let signal: AbortSignal | undefined;
  assertThrows(
    () =>
      scheduler.own((given) => {
        signal = given;
        return service("a", log);
      }),
    TypeError,
    'Cannot own service "a": this scheduler has a service of that name',
  );
  assertEquals(signal?.aborted, true);
  const add = () => scheduler.add(fixture("echo"), { name: "a", schedule: every(1e6) });
  assertThrows(add, TypeError, "close() the other first");
  await first.close({ gracePeriod: 0, reason: undefined });
  await eventually(() => assertEquals(scheduler.services, []));
  add();
  assertThrows(() => scheduler.own(() => service("a", log)), TypeError, "has a task of that name");
});

Deno.test("a service that cannot be stopped does not keep others, and its error is not lost", async () => {
  const log: string[] = [];
  const scheduler = new Scheduler({ signal: new AbortController().signal, onEvent: () => {} });
  const cause = new Error("port in use");
  scheduler.own(() => service("good", log));
  scheduler.own(() =>
    service("bad", log, () => {
      throw cause;
    })
  );
  const error = await assertRejects(() => scheduler.close(), AggregateError);
  assertEquals(error.errors, [cause]);
  assertEquals(log.map((line) => line.split(" ")[0]), ["bad", "good"]);
});
