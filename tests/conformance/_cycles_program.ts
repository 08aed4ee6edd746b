// Starts and stops workers in the given isolation, so many times, and prints what this process holds
// before and after. A program of its own, since other test files run in the process of a test.
import { assertEquals } from "@std/assert";
import type { TestedIsolation } from "../support/isolations.ts";
import { TestPool } from "../support/test_pool.ts";

const [isolation, cycles] = [Deno.args[0] as TestedIsolation, Number(Deno.args[1])];

/** What it prints. */
export interface Holdings {
  readonly threads: number;
  readonly files: number;
  readonly children: number;
  readonly memory: number;
}

const LINUX = Deno.build.os === "linux";

/** What this process holds, as its system says. */
function holdings(): Holdings {
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

async function cycle(): Promise<void> {
  await using pool = new TestPool("echo", { isolation });
  assertEquals(await pool.run(1), { kind: "completed", value: 1 });
  await pool.close(new Error("enough"), 1_000);
  assertEquals(await pool.alive(), 0);
}

// The first ones fill the caches of the allocator.
for (let round = 0; round < cycles / 3; round++) await cycle();
const before = holdings();
for (let round = 0; round < cycles; round++) await cycle();
console.log(JSON.stringify({ before, after: holdings() }));
