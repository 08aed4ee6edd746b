import { assertEquals } from "@std/assert";
import { LEAKS } from "./_leaks.ts";
import { leaksTable, readLeaks, TABLE } from "./_leaks_table.ts";

Deno.test({
  name: "the guard sees every leak, and the table says which ones the sanitizers see",
  // Elsewhere the guard sees no terminated worker that runs on, nor which one spins.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const leaks = await readLeaks();
    const missed = Object.keys(LEAKS).filter((name) => leaks.guard.get(name) === undefined);
    assertEquals(missed, []);
    assertEquals(leaksTable(leaks), await Deno.readTextFile(TABLE));
  },
});
