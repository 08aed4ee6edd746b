import { assert, assertEquals } from "@std/assert";
import { guardTests } from "../../src/testing/mod.ts";
import { stressSharedCache } from "../support/shared_stress.ts";

guardTests({ wait: 5_000 });

Deno.test("threads that are killed in the midst of their work harm nobody, and their memory comes back", async () => {
  const result = await stressSharedCache({ victims: "all", goesOn: ({ kills }) => kills < 20 });
  assertEquals([result.kills, result.wrong], [20, 0]);
  assert(result.hits > 100, `${result.hits} hits`);
  assert(result.evictions > 100, `${result.evictions} evictions`);
});
