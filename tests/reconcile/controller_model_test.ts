import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../src/base/clock.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { randomFrom } from "../support/random_from.ts";
import { TestController } from "../support/test_controller.ts";

guardTests();

/** Each does something else with its key; what fails is soon tried again. */
const KEYS = ["ok", "fail 1", "fail 2", "terminal", "after 3", "poll", "wrong", "crash", "lock x"]
  .flatMap((key) => [key, `${key} again`]);

Deno.test("whatever keys do: one run at a time each, and one that begins after the last add", async () => {
  let clockOfEvents = 0;
  const running = new Set<string>();
  const problems: string[] = [];
  const begun = new Map<string, number>();
  const added = new Map<string, number>();
  const test: TestController = new TestController({
    clock: systemClock,
    concurrency: 4,
    drain: true,
    gracePeriod: 20_000,
    onEvent(event) {
      if (event.type === "reconcile-started") {
        if (running.has(event.key)) problems.push(`two runs of ${event.key} at once`);
        running.add(event.key);
        begun.set(event.key, clockOfEvents++);
      } else if (event.type === "reconcile-ended") running.delete(event.run.key);
      test.log.sink(event);
    },
  });
  const { controller } = test;
  // In this order each round has enough different keys; an order by chance may not.
  const random = randomFrom(1);
  for (let round = 0; round < 40; round++) {
    for (let count = 0; count < 10; count++) {
      const key = KEYS[random(KEYS.length)]!;
      controller.add(key, { priority: random(3) });
      added.set(key, clockOfEvents++);
    }
    await test.ended(4 * (round + 1));
  }
  await controller.close();
  assertEquals([problems, running.size], [[], 0]);
  for (const [key, moment] of added) {
    assert(begun.get(key)! > moment, `${key} was not reconciled after it was added`);
  }
  const counted = Object.entries(controller.stats)
    .filter(([name]) => !["stuck", "staleReads", "sourceFailures"].includes(name))
    .reduce((sum, [, count]) => typeof count === "number" ? sum + count : sum, 0);
  assertEquals(counted, test.runs.length);
  assertEquals(test.runs.length, test.log.all("reconcile-started").length);
});
