// Stops one task after the other in the given isolation, and prints a line `<number> <end> <ms>` for
// each: the number of the way, how the task ended, and how long after it was told to. A program of its
// own, since what cannot be ended goes on until the process does.
import type { Isolation } from "../../src/pool/isolation.ts";
import { fixture } from "../support/fixture.ts";
import { TestPool } from "../support/test_pool.ts";
import { WAYS } from "./_ways.ts";

const [isolation, ...numbers] = Deno.args as [Isolation, ...string[]];
for (const number of numbers) {
  const { input, stops, returns } = WAYS[Number(number)]!;
  const isEnded = isolation !== "worker" || stops || input === "ignores";
  const pool = new TestPool(fixture(input === undefined ? "loads_for_ever" : "ways"), {
    isolation,
    // What can be ended is ended within a fraction of this, and what returns does so long after it.
    killTimeout: returns && isolation !== "process" ? 300 : isEnded ? 60_000 : 1_000,
  });
  let settled: Promise<unknown>;
  if (input === undefined) {
    settled = pool.run();
    await pool.log.until("worker-spawned");
  } else {
    ({ settled } = await pool.running(input));
  }
  // It must be in the midst of it, and not about to begin.
  await new Promise((resolve) => setTimeout(resolve, 150));
  const started = performance.now();
  const stuck = await pool.close(new Error("stop"), stops ? 60_000 : 50);
  const took = Math.round(performance.now() - started);
  const { ending } = await settled as { ending: string };
  let end = "ended";
  if (stuck.length > 0) end = returns && await dies(pool) ? "stuck-until-it-returns" : "stuck";
  else if (ending === "returned" || ending === "threw") end = "stops";
  console.log(`${number} ${end} ${took}`);
}
Deno.exit(0);

/** Whether the runtime says, within a minute, that the worker is gone. */
async function dies(pool: TestPool): Promise<boolean> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (await pool.alive() === 0) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
