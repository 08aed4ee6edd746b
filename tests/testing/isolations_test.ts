import { assert, assertEquals } from "@std/assert";
import { ISOLATIONS } from "../../src/pool/isolation.ts";
import { every } from "../../src/schedule/every.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { eventually, leakGuard } from "../../src/testing/mod.ts";
import { fixture } from "../support/fixture.ts";
import { holdBusy } from "../support/release.ts";

for (const isolation of ISOLATIONS) {
  Deno.test(`isolation ${isolation}: a worker is one thing, found while it lives and gone when it is dead`, async (t) => {
    await using guard = leakGuard(t);
    await using scheduler = new Scheduler({ signal: new AbortController().signal });
    const task = scheduler.add(fixture("echo"), {
      name: isolation,
      isolation,
      schedule: every({ hours: 1 }),
      // Longer than until the next run, or the worker is not kept.
      idleTimeout: { hours: 2 },
    });
    assertEquals((await task.trigger(1)).outcome, "succeeded");
    const leaks = await guard.leaks();
    assertEquals(leaks.map(({ what }) => what), ["scheduler"]);
    assertEquals(leaks[0]!.holds.map(({ what }) => what), ["timer queue", "worker pool", "worker"]);
    assert(leaks[0]!.holds[2]!.name?.startsWith(`${isolation}#`));
    await scheduler.close();
    assertEquals(await guard.leaks(), []);
  });

  Deno.test({
    name: `isolation ${isolation}: a worker that never yields is named as one that spins`,
    // Only Linux shows what a thread does, and a process is not a thread of this one.
    ignore: Deno.build.os !== "linux" || !["worker", "thread"].includes(isolation),
    async fn(t) {
      await using guard = leakGuard(t);
      await using scheduler = new Scheduler({
        signal: new AbortController().signal,
        onEvent: () => {},
      });
      const task = scheduler.add(fixture("busy"), { isolation, schedule: every({ hours: 1 }) });
      using busy = holdBusy();
      void task.trigger(busy.memory);
      await eventually(() => task.active[0]?.progress !== undefined, { timeout: 60_000 });
      // Where it gets little of a processor, one look may not be enough to be sure.
      await eventually(async () => {
        const [leak] = await guard.leaks();
        const worker = leak!.holds.find(({ what }) => what === "worker");
        // With test files in parallel, two Web Workers may begin in the same moment: then nobody can
        // tell which thread is whose.
        if (isolation === "worker" && worker?.state === "running") return;
        assertEquals(worker?.state, "running, spinning");
      }, { timeout: 60_000 });
    },
  });
}
