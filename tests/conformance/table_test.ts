import { assertEquals } from "@std/assert";
import { measure, TABLE, toTable } from "./_table.ts";

Deno.test("what becomes of a task that does not stop is what the table says", async () => {
  // When this is intended: deno run -A tests/conformance/update_table.ts
  assertEquals(toTable(await measure()), await Deno.readTextFile(TABLE));
});
