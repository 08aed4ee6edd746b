import { assertEquals } from "@std/assert";
import { StaleReads } from "../../src/reconcile/stale_reads.ts";
import { eventually, guardTests } from "../../src/testing/mod.ts";
import { TestController } from "../support/test_controller.ts";

guardTests();

Deno.test("a key is fresh again when all that it wrote has been seen, or something newer", () => {
  const reads = new StaleReads();
  assertEquals(reads.isFresh("web"), true);
  reads.saw("pod", 5);
  reads.wrote("web", "pod", 7);
  reads.wrote("web", "pod", 6);
  reads.wrote("web", "service", 2n ** 70n);
  assertEquals(reads.stale("web"), ["pod", "service"]);
  assertEquals(reads.isFresh("db"), true);
  reads.saw("pod", 6);
  assertEquals(reads.stale("web"), ["pod", "service"]);
  reads.saw("pod", 8);
  reads.saw("pod", 1);
  assertEquals(reads.stale("web"), ["service"]);
  reads.saw("service", 2n ** 70n);
  assertEquals(reads.isFresh("web"), true);
  reads.wrote("web", "pod", 9);
  reads.forget("web");
  assertEquals(reads.isFresh("web"), true);
});

Deno.test("a controller puts a key off by 100 ms as long as it would read what it has overwritten", async () => {
  const reads = new StaleReads();
  await using test = new TestController({ isFresh: (key) => reads.isFresh(key) });
  const { controller, clock } = test;
  await controller.trigger("ok");
  reads.wrote("ok", "pod", 2);
  const run = controller.trigger("ok");
  await eventually(() => assertEquals(controller.stats.staleReads, 1));
  assertEquals((await controller.trigger("after 0")).outcome, "succeeded");
  reads.saw("pod", 2);
  clock.advance(100);
  assertEquals((await run).outcome, "succeeded");
  assertEquals(controller.stats.succeeded, 3);
});
