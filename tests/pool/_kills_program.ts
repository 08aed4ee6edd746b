// Kills threads that never yield, and prints what this process has before and after. A program of its
// own, since other test files run in the process of a test.
import { assertEquals } from "@std/assert";
import { TestPool } from "../support/test_pool.ts";

const SPIN = "data:text/javascript," +
  encodeURIComponent("export default (_, ctx) => { ctx.progress(1); while (true); }");

await using pool = new TestPool(SPIN, { isolation: "thread" });

for (let round = 0; round < 20; round++) await kill();
const before = look();
for (let round = 0; round < 50; round++) await kill();
// The system needs a moment for what Deno has let go of.
for (let turn = 0; turn < 200 && look().threads > before.threads; turn++) {
  await new Promise((resolve) => setTimeout(resolve, 0));
}
console.log(JSON.stringify({ before, after: look() }));
assertEquals(pool.log.all("worker-stuck"), []);

async function kill(): Promise<void> {
  const run = await pool.running(undefined, { gracePeriod: 0 });
  run.abort();
  assertEquals((await run.settled as { ending: string }).ending, "killed");
}

function look(): { threads: number; memory: number } {
  return {
    threads: [...Deno.readDirSync("/proc/self/task")].length,
    memory: Deno.memoryUsage().rss,
  };
}
