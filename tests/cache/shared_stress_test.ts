import { assert, assertEquals } from "@std/assert";
import { guardTests } from "../../src/testing/mod.ts";
import { stressSharedCache } from "../support/shared_stress.ts";

guardTests({ wait: 5_000 });

Deno.test("threads that are killed in the midst of writing harm nobody, and their memory comes back", async () => {
  const result = await stressSharedCache((kills) => kills < 6);
  assertEquals([result.kills, result.wrong], [6, 0]);
  assert(result.hits > 100, `${result.hits} hits`);
});
