import { assertEquals } from "@std/assert";
import { Controller } from "../../src/reconcile/controller.ts";
import type { ControllerEvent } from "../../src/reconcile/controller_events.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { EventLog } from "../support/event_log.ts";
import { fixture } from "../support/fixture.ts";
import { TestScheduler } from "../support/test_scheduler.ts";

guardTests();

Deno.test("a scheduler owns controllers: sources stop, the queue drains as asked, workers end", async () => {
  await using test = new TestScheduler();
  const log = new EventLog<ControllerEvent>();
  const controllers: Controller[] = [];
  for (const [name, drain] of [["drains", true], ["drops", false]] as const) {
    const controller = test.scheduler.own((signal) =>
      new Controller(fixture("reconcile"), {
        signal,
        name,
        drain,
        onEvent: log.sink,
        sources: [{
          name: `source of ${name}`,
          run(sink, signal) {
            sink.synced();
            return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
          },
        }],
      })
    );
    await controller.synced;
    controllers.push(controller);
  }
  for (const controller of controllers) for (const key of ["a", "b"]) controller.add(key);
  test.owner.abort();
  await test.scheduler.finished;
  // Each controller has its own pool, and until its turn comes the one that drains goes on with its
  // keys: only the order within a controller is certain, and that one has stopped before the other.
  const said = (name: string) =>
    log.events.flatMap((event) => {
      if (!("controller" in event) || event.controller !== name) return [];
      if (event.type === "reconcile-ended") return [`${event.run.key} ${event.run.outcome}`];
      return /stopp|source-ended/.test(event.type) ? [event.type] : [];
    });
  assertEquals(said("drops"), [
    "controller-stopping",
    "source-ended",
    "a aborted",
    "controller-stopped",
  ]);
  const drained = said("drains");
  assertEquals(drained.filter((line) => line.endsWith("succeeded")), [
    "a succeeded",
    "b succeeded",
  ]);
  assertEquals(drained.filter((line) => !line.endsWith("succeeded")), [
    "controller-stopping",
    "source-ended",
    "controller-stopped",
  ]);
  assertEquals(drained.at(-1), "controller-stopped");
  const order = log.events.flatMap((event) => {
    if (event.type === "worker-exited") return [`${event.task} ${event.type}`];
    return /controller-stopp/.test(event.type) && "controller" in event
      ? [`${event.controller} ${event.type}`]
      : [];
  }).filter((line) => line !== "drops worker-exited"); // it may have been on its way
  assertEquals(order, [
    "drops controller-stopping",
    "drops controller-stopped",
    "drains controller-stopping",
    "drains worker-exited",
    "drains controller-stopped",
  ]);
});

Deno.test("a thousand controllers added and closed leave nothing; the others go on", async () => {
  await using test = new TestScheduler();
  const { scheduler, clock } = test;
  const add = (name: string) =>
    scheduler.own((signal) =>
      new Controller(fixture("reconcile"), { signal, name, clock, onEvent: () => {} })
    );
  const stays = add("stays");
  await stays.trigger("ok");
  const before = clock.timers;
  for (let count = 0; count < 1_000; count++) {
    const controller = add("comes and goes");
    controller.add("ok", { after: { hours: 1 } });
    controller.addSource({ name: "keys", run: () => Promise.resolve() });
    await controller.close();
    await controller.finished;
  }
  assertEquals([scheduler.services, clock.timers], [[stays], before]);
  assertEquals((await stays.trigger("ok")).outcome, "succeeded");
});
