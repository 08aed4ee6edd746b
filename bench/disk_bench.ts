/**
 * How fast the sweepers of files and rows are, and for how long the main thread does not answer meanwhile, beside what
 * people write themselves.
 *
 * `deno task bench bench/disk_bench.ts`, or `deno run -A bench/disk_bench.ts [--json]`.
 * `LEASH_BENCH_SHORT=1` measures small amounts, in a few seconds.
 *
 * The ratios are medians over the rounds, each taken within one round.
 *
 * @module
 */

import { Scheduler } from "../mod.ts";
import { rounds } from "./_rounds.ts";
import { filesContestants } from "./_disk_files.ts";
import { removeTemplates, sqliteContestants } from "./_disk_sqlite.ts";
import { print, toRows } from "./_disk_table.ts";

const isShort = Boolean(Deno.env.get("LEASH_BENCH_SHORT"));
const isJson = Deno.args.includes("--json");
const [files, rows, count] = isShort ? [4_000, 20_000, 3] : [20_000, 200_000, 5];

const owner = new AbortController();
await using scheduler = new Scheduler({ signal: owner.signal, onEvent: () => {} });
const figures = (n: number) => n.toLocaleString("en");
const tables = [
  {
    title: `${figures(files)} files of 120 bytes, half of them expired`,
    item: "files",
    items: files,
    contestants: await filesContestants(scheduler, files),
  },
  ...await Promise.all([
    { expired: rows / 2, index: false, textKeys: false, writes: false },
    { expired: rows / 2, index: false, textKeys: false, writes: true },
    { expired: rows / 2, index: true, textKeys: false, writes: false },
    { expired: rows / 2, index: true, textKeys: true, writes: false },
    { expired: rows / 100, index: true, textKeys: false, writes: false },
  ].map(async (options) => ({
    title: `${figures(rows)} rows of 120 bytes, ${figures(options.expired)} of them expired, ` +
      `${options.textKeys ? "random text keys, " : ""}${options.index ? "an" : "no"} index, WAL` +
      (options.writes ? ", while the main thread writes a row every 10 ms" : ""),
    item: "rows",
    items: rows,
    contestants: await sqliteContestants(scheduler, { rows, ...options }),
  }))),
];

const report: unknown[] = [];
for (const { title, item, items, contestants } of tables) {
  const result = toRows(await rounds(contestants, count), items);
  report.push({ title, rounds: count, rows: result });
  if (!isJson) console.log(`${print(`${title}; ${count} rounds`, item, result)}\n`);
}
removeTemplates();
if (isJson) console.log(JSON.stringify({ deno: Deno.version.deno, tables: report }, null, 2));
