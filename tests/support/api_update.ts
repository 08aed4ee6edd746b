/**
 * Writes the public API into tests/api.txt. Run it after an intended change of the API, and look at
 * the diff before you commit it.
 *
 * @module
 */

import { readApi, SNAPSHOT } from "./api_text.ts";

if (import.meta.main) {
  await Deno.writeTextFile(SNAPSHOT, await readApi());
  console.log("Wrote tests/api.txt");
}
