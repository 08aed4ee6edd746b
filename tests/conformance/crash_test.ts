import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { WorkerCrashedError } from "../../src/base/errors.ts";
import { eachIsolation, NO_THREAD } from "../support/isolations.ts";
import { TestPool } from "../support/test_pool.ts";

const SAYS = {
  close: "it called self.close()",
  exit: "it called Deno.exit(3)",
  timer: "thrown in a timer",
  rejection: "nobody catches this",
  reported: "reported",
} as const;

for (const [how, says] of Object.entries(SAYS)) {
  eachIsolation(
    `a worker that ends by ${how}: one error, and the next run gets a fresh worker`,
    async (isolation) => {
      await using pool = new TestPool("crashes", { isolation });
      let settlements = 0;
      for (let round = 1; round <= 2; round++) {
        const settlement = await pool.run(how);
        settlements++;
        assertEquals(settlement.kind, "crashed");
        const { error } = settlement as { error: unknown };
        assertInstanceOf(error, WorkerCrashedError);
        assertStringIncludes(error.message, says);
        assertStringIncludes(error.message, error.worker);
        if (["timer", "rejection", "reported"].includes(how)) {
          assertInstanceOf(error.cause, RangeError);
        }
        // It is gone before the run is told of it.
        assertEquals(await pool.alive(), 0);
      }
      assertEquals(settlements, 2);
      assertEquals(pool.log.all("worker-spawned").length, 2);
      assertEquals(pool.log.all("worker-crashed").length, 2);
      assertEquals(pool.log.all("worker-exited").map(({ end }) => end), ["crashed", "crashed"]);
    },
    NO_THREAD,
  );
}

eachIsolation(
  "a crash during the grace period of an abort still settles the run once",
  async (isolation) => {
    await using pool = new TestPool(
      "data:text/javascript," + encodeURIComponent(`
      export default (_input, ctx) => new Promise(() => {
        ctx.signal.addEventListener("abort", () => { throw new Error("in the listener"); });
        ctx.progress(1);
      });`),
      { isolation },
    );
    const run = await pool.running();
    run.abort(new Error("stop"));
    const settlement = await run.settled;
    assertEquals(settlement.kind, "crashed");
    assertEquals(await pool.alive(), 0);
  },
  NO_THREAD,
);

eachIsolation("an idle worker that ends by itself is replaced", async (isolation) => {
  await using pool = new TestPool("once_idle_closes", { isolation });
  for (let round = 1; round <= 3; round++) {
    assertEquals(await pool.run(), { kind: "completed", value: "done" });
    const crashed = await pool.log.until("worker-crashed", round);
    assertEquals(crashed.running, false);
    await pool.log.until("worker-exited", round);
    assertEquals(pool.pool.workers, []);
  }
}, NO_THREAD);

eachIsolation(
  "twenty crashing runs at once all settle, two workers at a time",
  async (isolation) => {
    await using pool = new TestPool("crashes", { isolation, maxWorkers: 2 });
    const hows = Object.keys(SAYS);
    const settlements = await Promise.all(
      Array.from({ length: 20 }, (_, index) => pool.run(hows[index % hows.length])),
    );
    assert(settlements.every(({ kind }) => kind === "crashed"));
    assertEquals(pool.log.all("worker-spawned").length, 20);
    assertEquals(await pool.alive(), 0);
  },
  NO_THREAD,
);
