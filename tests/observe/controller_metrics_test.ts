import { assertEquals } from "@std/assert";
import { metricsText } from "../../src/observe/mod.ts";
import { WorkerPool } from "../../src/pool/worker_pool.ts";
import { Controller } from "../../src/reconcile/controller.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { fixture } from "../support/fixture.ts";
import { readMetrics } from "../support/read_metrics.ts";
import { TestController } from "../support/test_controller.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

guardTests();

Deno.test("metricsText() tells of a controller what happened, what runs and what waits", async () => {
  await using test = new TestController({ concurrency: 1 });
  const { controller, clock } = test;
  const of = (name: string, labels = "") =>
    readMetrics(metricsText(controller)).get(
      `leash_${name}{controller="${controller.name}"${labels}}`,
    );
  assertEquals(of("reconcile_duration_seconds", ',quantile="1"'), undefined);
  await controller.trigger("fail");
  controller.add("wait 1");
  await test.begun("wait 1");
  controller.add("ok");
  clock.advance(3_000);
  assertEquals(of("reconciles_total", ',outcome="failed"'), 1);
  assertEquals([of("reconciles_running"), of("queue_depth")], [1, 2]);
  assertEquals(of("reconcile_longest_running_seconds"), 3);
  assertEquals(of("reconcile_unfinished_seconds"), 3);
  assertEquals([of("queue_adds_total"), of("queue_retries_total")], [4, 1]);
  controller.cancel("wait 1");
  await test.ended(1, "ok");
  assertEquals(of("reconciles_total", ',outcome="cancelled"'), 1);
  assertEquals(of("reconcile_duration_seconds", ',quantile="1"'), 3);
  assertEquals(of("queue_wait_seconds", ',quantile="1"'), 3);
  assertEquals([of("reconciles_running"), of("reconcile_longest_running_seconds")], [0, 0]);
  assertEquals([of("source_failures_total"), of("stale_reads_total")], [0, 0]);
});

Deno.test("metricsText() of a scheduler tells of what it owns too, each once", async () => {
  await using test = new TestScheduler();
  const { scheduler } = test;
  const pool = scheduler.own((signal) =>
    new WorkerPool(fixture("echo"), { signal, name: "pool of the scheduler" })
  );
  scheduler.own((signal) => new Controller(fixture("reconcile"), { signal, name: "volumes" }));
  const finished = Promise.withResolvers<void>();
  scheduler.own(() => ({
    name: "a server",
    finished: finished.promise,
    close: () => Promise.resolve(finished.resolve()),
  }));
  await pool.run(1);
  const text = metricsText(scheduler, pool);
  const numbers = readMetrics(text);
  assertEquals(numbers.get('leash_pool_runs{pool="pool of the scheduler",state="running"}'), 0);
  assertEquals(numbers.get('leash_queue_depth{controller="volumes"}'), 0);
  assertEquals(numbers.get('leash_workers{state="idle"}'), 1);
  assertEquals(text.includes("a server"), false);
  // A scraper refuses a text in which anything comes twice.
  const lines = text.split("\n").filter((line) => line !== "");
  assertEquals(new Set(lines).size, lines.length);
});
