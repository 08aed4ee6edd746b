/**
 * `SharedCache` beside lru-cache and a `Map` with end times: what a write and a read cost, what it costs
 * to remove half of the entries because they have expired, what the garbage collector has to do with
 * those that live, how much memory an entry takes, and what a read from another worker costs beside a
 * message. Keys of 13 bytes, values of 30. Each table begins with the bars that Leash is to keep to. The
 * last one tells how many requests each answers when there is room for a tenth of the keys.
 *
 * `deno task bench bench/shared_cache_bench.ts`, or `deno run -A bench/shared_cache_bench.ts [--json]
 * [--entries 1000000,10000000] [--rounds 3] [--only leash,map]`. `LEASH_BENCH_SHORT=1` measures small caches.
 *
 * Each contestant has a process of its own in each round. The exit code says only whether Leash itself
 * failed.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { child } from "./_child.ts";
import { figure } from "./_pool_result.ts";
import type { SharedContestant, SharedSample } from "./_shared_child.ts";
import {
  growth,
  median,
  print,
  printHits,
  type SharedStanding,
  type SharedVerdict,
  toVerdicts,
  verdictText,
} from "./_shared_table.ts";
import { hitRatios } from "./_shared_zipf.ts";

const isShort = Boolean(Deno.env.get("LEASH_BENCH_SHORT"));
/** For one process. */
const LIMIT = isShort ? 40_000 : 240_000;
const NAMES: SharedContestant[] = ["leash", "lru-cache", "map"];

const { values: options } = parseArgs({
  args: Deno.args,
  options: {
    json: { type: "boolean", default: false },
    entries: { type: "string", default: isShort ? "20000" : "1000000" },
    only: { type: "string", default: NAMES.join(",") },
    rounds: { type: "string", default: isShort ? "1" : "3" },
  },
});

const report: unknown[] = [];
const failures: string[] = [];
const withText = (bars: SharedVerdict[]) =>
  bars.map((bar) => ({ ...bar, verdict: verdictText(bar) }));
let fewer: { entries: number; standings: SharedStanding[] } | undefined;
if (isShort && !options.json) console.log("The short form: too little is done for fair ratios.\n");
for (const entries of options.entries.split(",").map(Number)) {
  const standings = await measure(entries);
  const bars = toVerdicts(standings, entries);
  if (fewer?.entries === entries / 10) bars.push(...growth(fewer.standings, standings));
  report.push({ entries, standings, bars: withText(bars) });
  const title = `${figure(entries)} entries, half of them expired; medians of ${options.rounds}`;
  if (!options.json) console.log(`${print(title, standings, bars)}\n`);
  const problem = standings.find(({ name }) => name === "leash")?.problem;
  if (problem !== undefined) failures.push(problem);
  fewer = { entries, standings };
}
const hits = [];
for (const exponent of [0.9, 1]) {
  const keys = isShort ? 20_000 : 200_000;
  hits.push(await hitRatios(exponent, keys, keys * 10, bytesOfLru()));
}
if (options.json) {
  console.log(JSON.stringify({ deno: Deno.version.deno, measures: report, hits }, null, 2));
} else console.log(printHits(hits));
if (failures.length > 0) throw new Error(`Cannot measure Leash: ${failures.join("; ")}`);

/** What an entry takes in lru-cache, of what it takes in shared memory, as measured last. */
function bytesOfLru(): number {
  const rss = (name: SharedContestant) =>
    median(fewer?.standings.find((one) => one.name === name)?.samples.map((one) => one.rss) ?? []);
  return rss("lru-cache") / rss("leash") || 1;
}

async function measure(entries: number): Promise<SharedStanding[]> {
  const standings = NAMES.filter((name) => options.only.split(",").includes(name))
    .map((name): SharedStanding => ({ name, samples: [] }));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (let turn = 0; turn < standings.length; turn++) {
      const standing = standings[(round + turn) % standings.length]!;
      if (standing.problem !== undefined) continue;
      const result = await run(standing.name, entries);
      if (typeof result === "string") standing.problem = result;
      else standing.samples.push(result);
    }
  }
  return standings;
}

/** A sample, or why there is none. */
async function run(name: SharedContestant, entries: number): Promise<SharedSample | string> {
  const process = child("bench/_shared_child.ts", [name, `${entries}`], {
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => process.kill("SIGKILL"), LIMIT);
  const { success, code, stdout, stderr } = await process.output();
  clearTimeout(timer);
  const text = new TextDecoder();
  if (success) return JSON.parse(text.decode(stdout));
  const [reason = ""] = text.decode(stderr).match(/^error:.*/m) ?? [];
  return `failed with code ${code}${reason && `, ${reason}`}`;
}
