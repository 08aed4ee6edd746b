import { assert, assertEquals } from "@std/assert";
import { eachIsolation } from "../support/isolations.ts";
import { TestPool } from "../support/test_pool.ts";

/** `LEASH_LONG=1`: as many as it takes for a small leak to show. */
const CYCLES = Deno.env.get("LEASH_LONG") === undefined ? 60 : 1_000;

const LINUX = Deno.build.os === "linux";

/** What this process holds, as its system says. */
function holdings(): { threads: number; files: number; children: number; memory: number } {
  const count = (path: string): number => LINUX ? [...Deno.readDirSync(path)].length : 0;
  return {
    threads: count("/proc/self/task"),
    files: count("/proc/self/fd"),
    children: LINUX ? childrenOf(Deno.pid) : 0,
    memory: Deno.memoryUsage().rss,
  };
}

/** Children, dead ones that nobody waited for included. */
function childrenOf(parent: number): number {
  let count = 0;
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      // The name of the program stands in brackets, and may hold anything.
      const [, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(ppid) === parent) count++;
    } catch {
      // It has ended in the meantime.
    }
  }
  return count;
}

eachIsolation(`${CYCLES} starts and stops leave nothing behind`, async (isolation) => {
  const cycle = async (): Promise<void> => {
    await using pool = new TestPool("echo", { isolation, killTimeout: 10_000 });
    assertEquals(await pool.run(1), { kind: "completed", value: 1 });
    await pool.close(new Error("enough"), 1_000);
    assertEquals(await pool.alive(), 0);
  };
  // The first ones fill the caches of the allocator.
  for (let round = 0; round < CYCLES / 3; round++) await cycle();
  const before = holdings();
  for (let round = 0; round < CYCLES; round++) await cycle();
  const after = holdings();
  // Other test files run in the same process, so these are bounds for a leak, not exact counts: a
  // worker that is left is a thread, three descriptors or more and some 5 MB, each time.
  const what = `${Deno.inspect(before)} → ${Deno.inspect(after)}`;
  assert(after.threads - before.threads < 50, what);
  assert(after.files - before.files < 150, what);
  assert(after.children - before.children < 20, what);
  assert(after.memory - before.memory < 250e6, what);
});
