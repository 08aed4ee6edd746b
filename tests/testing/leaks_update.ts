/**
 * Writes what sees which leak into tests/testing/leaks_table.md. Run it with `deno task leaks:update` after a
 * change of the guard or of Deno, and look at the diff before you commit it.
 *
 * @module
 */

import { leaksTable, readLeaks, TABLE } from "./_leaks_table.ts";

if (import.meta.main) {
  await Deno.writeTextFile(TABLE, leaksTable(await readLeaks()));
  console.log("Wrote tests/testing/leaks_table.md");
  Deno.exit();
}
