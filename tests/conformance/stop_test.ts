import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { pathToFileURL } from "node:url";
import { fixture } from "../support/fixture.ts";
import { holdBusy } from "../support/release.ts";
import { eachIsolation, NO_THREAD, TESTED, type TestedIsolation } from "../support/isolations.ts";
import { TempDir } from "../support/temp_dir.ts";
import { TestPool } from "../support/test_pool.ts";

/** These can be ended whatever they do. */
const KILLABLE: TestedIsolation[] = ["thread", "process"];
const ALL_BUT_WORKER = TESTED.filter((isolation) => isolation !== "worker");
const UNKILLABLE = TESTED.filter((isolation) => !KILLABLE.includes(isolation));

const SPIN = "data:text/javascript," + encodeURIComponent(
  "export default (_input, ctx) => { ctx.progress(1); while (true); }",
);

const reason = (): Error => Object.assign(new RangeError("enough"), { code: "E_ENOUGH" });

eachIsolation(
  "abort before the run: nothing is spawned, the reason is the caller's",
  async (isolation) => {
    await using pool = new TestPool("echo", { isolation });
    const why = reason();
    const settlement = await pool.run(1, { signal: AbortSignal.abort(why) });
    assertEquals(settlement, {
      kind: "aborted",
      cause: "signal",
      reason: why,
      ending: "not-started",
    });
    assertEquals(pool.log.events, []);
  },
);

eachIsolation(
  "abort while the worker is spawned or loads: the worker is kept for the next run",
  async (isolation) => {
    for (const moment of ["turn", "spawned"] as const) {
      await using pool = new TestPool("echo", { isolation });
      const controller = new AbortController();
      const settled = pool.run(1, { signal: controller.signal });
      if (moment === "spawned") await pool.log.until("worker-spawned");
      controller.abort(reason());
      assertEquals((await settled as { ending: string }).ending, "not-started");
      assertEquals(await pool.run(2), { kind: "completed", value: 2 });
      assert(pool.log.all("worker-spawned").length <= 1);
    }
  },
);

eachIsolation(
  "a task sees the caller's reason, and may end as it likes within the grace period",
  async (isolation) => {
    for (const then of ["return", "throw-reason", "throw-other"] as const) {
      await using pool = new TestPool("waits", { isolation });
      const logged: unknown[] = [];
      const run = await pool.running(then, {
        onLog: (_level, _message, data) => logged.push(data),
      });
      const why = reason();
      run.abort(why);
      const settlement = await run.settled as { kind: string; reason: unknown; ending: string };
      assertEquals(settlement.kind, "aborted");
      assertEquals(settlement.reason, why);
      assertEquals(settlement.ending, then === "return" ? "returned" : "threw");
      assertEquals(logged, [{ message: "enough", code: "E_ENOUGH" }]);
      // It obeyed, so it is kept.
      await pool.run(undefined, { signal: AbortSignal.abort() });
      assertEquals(pool.pool.workers.map(({ state }) => state), ["idle"]);
    }
  },
);

eachIsolation(
  "a task that does not end within the grace period is killed, and it is gone",
  async (isolation) => {
    await using pool = new TestPool("waits", { isolation });
    const run = await pool.running("ignore", { gracePeriod: 20 });
    run.abort(reason());
    assertEquals((await run.settled as { ending: string }).ending, "killed");
    assertEquals(await pool.alive(), 0);
    assertEquals(pool.log.all("worker-exited").map(({ end }) => end), ["killed"]);
  },
  NO_THREAD,
);

eachIsolation(
  "a loop without any await stops at its checkpoint, with the same reason",
  async (isolation) => {
    await using pool = new TestPool("checkpoints", { isolation });
    const logged: unknown[] = [];
    const run = await pool.running(undefined, {
      onLog: (_level, _message, data) => logged.push(data),
    });
    run.abort(reason());
    assertEquals((await run.settled as { ending: string }).ending, "threw");
    assertEquals(logged, [{ same: true, name: "RangeError", message: "enough" }]);
    assertEquals(pool.log.all("worker-exited"), []);
  },
  NO_THREAD,
);

eachIsolation(
  "a timeout is a TimeoutError, and counts from the begin of the run",
  async (isolation) => {
    await using pool = new TestPool("waits", { isolation });
    const first = pool.run("throw-reason", { timeout: 400 });
    // It waits for the other one all the time, and is not timed out by that.
    const second = pool.run("throw-reason", { timeout: 300 });
    for (const settlement of [await first, await second]) {
      const { kind, cause, reason } = settlement as unknown as Record<string, unknown>;
      assertEquals([kind, cause], ["aborted", "timeout"]);
      assertInstanceOf(reason, DOMException);
      assertEquals(reason.name, "TimeoutError");
    }
  },
);

eachIsolation(
  "close at each state of a worker's life ends it, and close is idempotent",
  async (isolation) => {
    for (const moment of ["new", "requested", "spawned", "idle", "running", "stopping"] as const) {
      await using pool = new TestPool("waits", { isolation });
      const why = reason();
      let settled: Promise<unknown> = Promise.resolve();
      if (moment === "idle") await pool.run("return", { timeout: 1 });
      if (moment === "requested" || moment === "spawned") settled = pool.run("return");
      if (moment === "spawned") await pool.log.until("worker-spawned");
      if (moment === "running") settled = (await pool.running("return")).settled;
      if (moment === "stopping") {
        const run = await pool.running("ignore", { gracePeriod: 10_000 });
        run.abort(reason());
        settled = run.settled;
      }
      const closes = await Promise.all([
        pool.close(why, moment === "stopping" ? 10 : 5_000),
        pool.close(),
      ]);
      assertEquals(closes, [[], []], moment);
      assertEquals(await pool.alive(), 0, moment);
      const settlement = await settled as { kind: string; cause: string } | undefined;
      if (settlement !== undefined) assertEquals(settlement.kind, "aborted", moment);
      // After the end nothing begins any more.
      const late = await pool.run("return") as { reason: unknown; ending: string };
      assertEquals([late.reason, late.ending], [why, "not-started"]);
      assertEquals(await pool.alive(), 0, moment);
    }
  },
  NO_THREAD,
);

eachIsolation("close with runs that wait for a worker settles each of them", async (isolation) => {
  await using pool = new TestPool("waits", { isolation });
  const run = await pool.running("return");
  const waiting = [1, 2, 3].map(() => pool.run("return"));
  await pool.close(reason());
  assertEquals((await run.settled as { ending: string }).ending, "returned");
  for (const settled of waiting) {
    assertEquals((await settled as { ending: string }).ending, "not-started");
  }
});

eachIsolation("aborting one waiting run leaves the others in line", async (isolation) => {
  await using pool = new TestPool("waits", { isolation, maxWorkers: 1 });
  const first = await pool.running("return");
  const controller = new AbortController();
  const second = pool.run("return", { signal: controller.signal });
  const third = pool.running("return");
  controller.abort(reason());
  assertEquals((await second as { ending: string }).ending, "not-started");
  first.abort();
  await first.settled;
  const { settled, abort } = await third;
  abort();
  assertEquals((await settled as { ending: string }).ending, "returned");
});

eachIsolation(
  "what cannot be killed is stuck: named, replaced, and noticed when it dies",
  async (isolation) => {
    using busy = holdBusy();
    await using pool = new TestPool("busy", { isolation, killTimeout: 300 });
    const run = await pool.running(busy.memory, { gracePeriod: 10 });
    run.abort(reason());
    assertEquals((await run.settled as { ending: string }).ending, "stuck");
    const stuck = await pool.log.until("worker-stuck");
    assert(stuck.waited >= 299);
    assertEquals(await pool.alive(), 1);

    // Its place is free.
    using other = holdBusy();
    other.release();
    assertEquals(await pool.run(other.memory), { kind: "completed", value: "released" });

    busy.release();
    const exited = await pool.log.until("worker-exited");
    assertEquals([exited.worker, exited.wasStuck], [stuck.worker, true]);
    assertEquals(await pool.close(), []);
  },
  ALL_BUT_WORKER,
);

eachIsolation(
  "close names the stuck workers, and does not wait for them for ever",
  async (isolation) => {
    using busy = holdBusy();
    const pool = new TestPool("busy", { isolation, maxWorkers: 2, killTimeout: 300 });
    const runs = [await pool.running(busy.memory), await pool.running(busy.memory)];
    const stuck = await pool.close(reason(), 10);
    assertEquals(stuck.map(({ task }) => task), [pool.task, pool.task]);
    assert(stuck.every(({ waited }) => waited >= 299));
    for (const { settled } of runs) {
      assertEquals((await settled as { ending: string }).ending, "stuck");
    }
    busy.release();
  },
  ALL_BUT_WORKER,
);

eachIsolation("a module that spins while it loads never hangs", async (isolation) => {
  // On a slow machine its time may be over before it spins: then it gets more.
  for (let readyTimeout = 300, spins = false; !spins; readyTimeout *= 4) {
    using dir = new TempDir();
    const begun = pathToFileURL(dir.at("begun"));
    const variable = `LEASH_TEST_${crypto.randomUUID()}`;
    Deno.env.set(variable, "1");
    const module = `${fixture("loads_busily").href}?while=${variable}&begun=${begun}`;
    const pool = new TestPool(new URL(module), {
      isolation,
      readyTimeout,
      ...(KILLABLE.includes(isolation) ? {} : { killTimeout: 300 }),
    });
    const settlement = await pool.run();
    assertEquals(settlement.kind, "failed");
    const stuck = (await pool.close()).length;
    Deno.env.delete(variable);
    spins = dir.tree().length > 0;
    if (spins) assertEquals(stuck, KILLABLE.includes(isolation) ? 0 : 1);
  }
}, NO_THREAD);

eachIsolation(
  "a loop without any await and any checkpoint is killed, 5 times of 5",
  async (isolation) => {
    await using pool = new TestPool(SPIN, { isolation });
    for (let round = 1; round <= 5; round++) {
      const run = await pool.running(undefined, { gracePeriod: 0 });
      run.abort(reason());
      assertEquals((await run.settled as { ending: string }).ending, "killed");
      assertEquals(await pool.alive(), 0);
      assertEquals(pool.log.all("worker-exited").length, round);
    }
    assertEquals(pool.log.all("worker-stuck"), []);
  },
  UNKILLABLE,
);
