import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { fixture } from "../support/fixture.ts";
import { holdBusy } from "../support/release.ts";
import { TestPool } from "../support/test_pool.ts";

const reason = (): Error => Object.assign(new RangeError("enough"), { code: "E_ENOUGH" });

Deno.test("abort before the run: nothing is spawned, the reason is the caller's", async () => {
  await using pool = new TestPool("echo");
  const why = reason();
  const settlement = await pool.run(1, { signal: AbortSignal.abort(why) });
  assertEquals(settlement, {
    kind: "aborted",
    cause: "signal",
    reason: why,
    ending: "not-started",
  });
  assertEquals(pool.log.events, []);
});

Deno.test("abort while the worker is spawned or loads: the worker is kept for the next run", async () => {
  for (const moment of ["turn", "spawned"] as const) {
    await using pool = new TestPool("echo");
    const controller = new AbortController();
    const settled = pool.run(1, { signal: controller.signal });
    if (moment === "spawned") await pool.log.until("worker-spawned");
    controller.abort(reason());
    assertEquals((await settled as { ending: string }).ending, "not-started");
    assertEquals(await pool.run(2), { kind: "completed", value: 2 });
    assert(pool.log.all("worker-spawned").length <= 1);
  }
});

Deno.test("a task sees the caller's reason, and may end as it likes within the grace period", async () => {
  for (const then of ["return", "throw-reason", "throw-other"] as const) {
    await using pool = new TestPool("waits");
    const logged: unknown[] = [];
    const run = await pool.running(then, { onLog: (_level, _message, data) => logged.push(data) });
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
});

Deno.test("a task that does not end within the grace period is killed, and it is gone", async () => {
  await using pool = new TestPool("waits");
  const run = await pool.running("ignore", { gracePeriod: 20 });
  run.abort(reason());
  assertEquals((await run.settled as { ending: string }).ending, "killed");
  assertEquals(await pool.alive(), 0);
  assertEquals(pool.log.all("worker-exited").map(({ end }) => end), ["killed"]);
});

Deno.test("a loop without any await stops at its checkpoint, with the same reason", async () => {
  await using pool = new TestPool("checkpoints");
  const logged: unknown[] = [];
  const run = await pool.running(undefined, {
    onLog: (_level, _message, data) => logged.push(data),
  });
  run.abort(reason());
  assertEquals((await run.settled as { ending: string }).ending, "threw");
  assertEquals(logged, [{ same: true, name: "RangeError", message: "enough" }]);
  assertEquals(pool.log.all("worker-exited"), []);
});

Deno.test("a timeout is a TimeoutError, and counts from the begin of the run", async () => {
  await using pool = new TestPool("waits");
  const first = pool.run("throw-reason", { timeout: 400 });
  // It waits for the other one all the time, and is not timed out by that.
  const second = pool.run("throw-reason", { timeout: 300 });
  for (const settlement of [await first, await second]) {
    const { kind, cause, reason } = settlement as unknown as Record<string, unknown>;
    assertEquals([kind, cause], ["aborted", "timeout"]);
    assertInstanceOf(reason, DOMException);
    assertEquals(reason.name, "TimeoutError");
  }
});

Deno.test("close at each state of a worker's life ends it, and close is idempotent", async () => {
  for (const moment of ["new", "requested", "spawned", "idle", "running", "stopping"] as const) {
    await using pool = new TestPool("waits");
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
});

Deno.test("close with runs that wait for a worker settles each of them", async () => {
  await using pool = new TestPool("waits");
  const run = await pool.running("return");
  const waiting = [1, 2, 3].map(() => pool.run("return"));
  await pool.close(reason());
  assertEquals((await run.settled as { ending: string }).ending, "returned");
  for (const settled of waiting) {
    assertEquals((await settled as { ending: string }).ending, "not-started");
  }
});

Deno.test("aborting one waiting run leaves the others in line", async () => {
  await using pool = new TestPool("waits", { maxWorkers: 1 });
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

Deno.test("a worker that cannot be killed is stuck: named, replaced, and noticed when it dies", async () => {
  using busy = holdBusy();
  await using pool = new TestPool("busy");
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
});

Deno.test("close names the stuck workers, and does not wait for them for ever", async () => {
  using busy = holdBusy();
  const pool = new TestPool("busy", { maxWorkers: 2 });
  const runs = [await pool.running(busy.memory), await pool.running(busy.memory)];
  const stuck = await pool.close(reason(), 10);
  assertEquals(stuck.map(({ task }) => task), [pool.task, pool.task]);
  assert(stuck.every(({ waited }) => waited >= 299));
  for (const { settled } of runs) {
    assertEquals((await settled as { ending: string }).ending, "stuck");
  }
  busy.release();
});

Deno.test("a module that spins while it loads is stuck when it is stopped, and never hangs", async () => {
  const variable = `LEASH_TEST_${crypto.randomUUID()}`;
  Deno.env.set(variable, "1");
  const pool = new TestPool(new URL(`${fixture("loads_busily").href}?while=${variable}`), {
    readyTimeout: 300,
  });
  const settlement = await pool.run();
  assertEquals(settlement.kind, "failed");
  assertEquals((await pool.close()).length, 1);
  Deno.env.delete(variable);
});
