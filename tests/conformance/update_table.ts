// Measures what becomes of tasks that do not stop, prints how long that took, and writes the table.
import { measure, TABLE, toTable } from "./_table.ts";
import { WAYS } from "./_ways.ts";

const cells = await measure();
for (const [isolation, list] of cells) {
  for (const { way, end, took } of list) {
    console.log(`${isolation.padEnd(8)} ${end.padEnd(22)} ${took} ms  ${WAYS[way]!.text}`);
  }
}
await Deno.writeTextFile(TABLE, toTable(cells));
console.log(`\nWrote ${TABLE.pathname.split("/").slice(-3).join("/")}`);
