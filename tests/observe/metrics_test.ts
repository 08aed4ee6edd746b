import { assertEquals, assertStringIncludes } from "@std/assert";
import { metricsText } from "../../src/observe/mod.ts";
import { WorkerPool } from "../../src/pool/worker_pool.ts";
import { every } from "../../src/schedule/mod.ts";
import { fixture } from "../support/fixture.ts";
import { readMetrics } from "../support/read_metrics.ts";
import { holdBusy } from "../support/release.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

Deno.test("metricsText() counts runs, retries and workers, and says when a run succeeded", async () => {
  await using test = new TestScheduler({ now: "2026-01-01T00:00:00Z" });
  const task = test.add("flaky", {
    schedule: every(60_000),
    input: 2,
    retry: { maxAttempts: 2, backoff: { initial: 0 } },
  });
  const result = task.trigger();
  await test.log.until("attempt-failed");
  test.clock.advance(2_500);
  await result;
  const owner = new AbortController();
  await using pool = new WorkerPool(fixture("echo"), { signal: owner.signal, name: 'a "pool"' });
  await pool.run(1);

  const text = metricsText(test.scheduler, pool);
  const numbers = readMetrics(text);
  const of = (name: string, labels = ""): number | undefined =>
    numbers.get(`${name}{task="${task.name}"${labels}}`);
  assertEquals(of("leash_runs_total", ',outcome="succeeded"'), 1);
  assertEquals(of("leash_runs_total", ',outcome="failed"'), 0);
  assertEquals(of("leash_run_retries_total"), 1);
  assertEquals(of("leash_run_duration_seconds", ',quantile="1"'), 2.5);
  assertEquals(of("leash_task_last_success_timestamp_seconds"), Date.UTC(2026, 0, 1) / 1_000 + 2.5);
  assertEquals(of("leash_task_next_due_timestamp_seconds"), Date.UTC(2026, 0, 1) / 1_000 + 60);
  assertEquals(numbers.get('leash_workers{state="stuck"}'), 0);
  assertEquals(numbers.get('leash_pool_runs{pool="a \\"pool\\"",state="queued"}'), 0);
  assertStringIncludes(text, "# TYPE leash_runs_total counter\n");
  // A scraper refuses a text in which a metric comes twice.
  const names = text.split("\n").filter((line) => line.startsWith("# TYPE"));
  assertEquals(new Set(names).size, names.length);
});

Deno.test("metricsText() counts a stuck worker for as long as it lives", async () => {
  using busy = holdBusy();
  await using test = new TestScheduler({ killTimeout: 300 });
  const task = test.add("busy", {
    schedule: every(60_000),
    input: busy.memory,
    timeout: 10,
    gracePeriod: 0,
  });
  const result = task.trigger();
  await test.running();
  test.clock.advance(10);
  assertEquals((await result).ending, "stuck");
  const stuck = (): number | undefined =>
    readMetrics(metricsText(test.scheduler)).get('leash_workers{state="stuck"}');
  assertEquals(stuck(), 1);
  busy.release();
  await test.log.until("worker-exited");
  assertEquals(stuck(), 0);
});

Deno.test("metricsText() of nothing is what there is to say of workers", () => {
  assertEquals([...readMetrics(metricsText()).values()], [0, 0, 0, 0, 0, 0]);
});
