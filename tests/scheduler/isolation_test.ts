import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { WorkerOutOfMemoryError } from "../../src/base/errors.ts";
import { liveWorkers } from "../../src/pool/live_workers.ts";
import { ISOLATIONS } from "../../src/pool/isolation.ts";
import { after, every } from "../../src/schedule/mod.ts";
import type { BaseTaskOptions } from "../../src/scheduler/task_options.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

guardTests();

Deno.test("a task runs, is timed out and is gone in each isolation", async () => {
  for (const isolation of ISOLATIONS) {
    await using test = new TestScheduler();
    const echo = test.add("echo", { schedule: every(1e6), isolation });
    const result = await echo.trigger({ of: isolation });
    assertEquals([result.outcome, result.value], ["succeeded", { of: isolation }]);

    const waits = test.add("waits", { schedule: after(0), isolation, timeout: 1_000 });
    const run = waits.trigger("ignore");
    await test.running();
    const { task } = (await liveWorkers()).find(({ task }) => task === waits.name)!;
    assertEquals(task, waits.name);
    test.clock.advance(1_000);
    test.clock.advance(60_000);
    const { outcome, ending } = await run;
    assertEquals([outcome, ending], ["timed-out", "killed"]);
    await test.scheduler.close();
    assertEquals(await test.alive(), 0);
  }
});

Deno.test("a task over its limit of memory crashes alone, and is tried again", async () => {
  for (const isolation of ["thread", "process"] as const) {
    await using test = new TestScheduler();
    const task = test.add("fills_memory", {
      schedule: every(1e6),
      isolation,
      memoryLimit: 48 * 2 ** 20,
      retry: { maxAttempts: 2, backoff: { initial: 0, jitter: "none" } },
    });
    const run = task.trigger();
    await test.log.until("attempt-failed");
    test.clock.advance(1);
    const { outcome, error, attempts } = await run;
    assertEquals([outcome, attempts], ["crashed", 2]);
    assertInstanceOf(error, WorkerOutOfMemoryError);
  }
});

Deno.test("options of an isolation that do not go together are refused where the task is added", async () => {
  await using test = new TestScheduler();
  const cases: [Partial<BaseTaskOptions>, string][] = [
    [
      { isolation: "vm" as "worker" },
      'expected worker, thread, process as isolation: received "vm"',
    ],
    [{ isolation: "thread", permissions: "none" }, 'use isolation "process" or "worker"'],
    [{ isolation: "thread", permissions: { net: false } }, "a thread may do what its process may"],
    [{ memoryLimit: 1e9 }, 'memoryLimit needs isolation "thread" or "process": received "worker"'],
    [{ isolation: "thread", memoryLimit: 64 }, "at least 16777216 bytes as memoryLimit"],
    [{ isolation: "process", memoryLimit: NaN }, "received NaN"],
    [{ denoFlags: ["--cached-only"] }, 'denoFlags needs isolation "process"'],
    [{ isolation: "process", denoFlags: ["-A"] }, "permissions as permissions"],
    [{ isolation: "process", denoFlags: ["--allow-all"] }, "permissions as permissions"],
    [{ isolation: "process", denoFlags: ["--deny-read"] }, "permissions as permissions"],
    [{ isolation: "process", denoFlags: ["main.ts"] }, "expected flags"],
    [{ isolation: "process", denoFlags: "--quiet" as unknown as string[] }, "expected flags"],
  ];
  for (const [options, says] of cases) {
    const error = assertThrows(
      () => test.add("echo", { schedule: after(0), ...options }),
      TypeError,
    );
    assertStringIncludes(error.message, says);
  }
  test.add("echo", { schedule: every(1e6), isolation: "thread", permissions: "inherit" });
});
