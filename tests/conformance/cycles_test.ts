import { assert, assertEquals } from "@std/assert";
import { Child, denoCommand } from "../support/child.ts";
import { OFFLINE } from "../support/entries.ts";
import { eachIsolation } from "../support/isolations.ts";
import type { Holdings } from "./_cycles_program.ts";

/** `LEASH_LONG=1`: as many as it takes for a small leak to show. */
const CYCLES = Deno.env.get("LEASH_LONG") === undefined ? 60 : 1_000;

eachIsolation(`${CYCLES} starts and stops leave nothing behind`, async (isolation) => {
  const program = new URL("./_cycles_program.ts", import.meta.url).href;
  await using child = new Child(
    denoCommand("run", "-A", OFFLINE, program, isolation, `${CYCLES}`),
  );
  const { code, stdout, stderr } = await child.finish();
  assertEquals(code, 0, stderr);
  const { before, after }: Record<"before" | "after", Holdings> = JSON.parse(stdout);
  // Bounds for a leak, not exact counts: a worker that is left is a thread, three descriptors or more
  // and some 5 MB, each time.
  assert(after.threads - before.threads < 50, stdout);
  assert(after.files - before.files < 150, stdout);
  assert(after.children - before.children < 20, stdout);
  assert(after.memory - before.memory < 250e6, stdout);
});
