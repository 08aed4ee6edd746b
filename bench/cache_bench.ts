/**
 * `TtlCache` beside other caches with a time to live: what a read and a write cost, what it costs to
 * remove what has expired, for how long that holds up the thread, and how much memory an entry takes.
 * Ratios are to lru-cache. With a million entries, the bars that Leash is to keep to follow.
 *
 * `deno task bench bench/cache_bench.ts`, or `deno run -A bench/cache_bench.ts [--json]
 * [--only leash,lru-cache] [--entries 1000000] [--shares 1,50] [--rounds 3]`.
 * `LEASH_BENCH_SHORT=1` measures small caches, in a few seconds.
 *
 * Each contestant has a process of its own in each round; in a round they take turns, each round in
 * another order. Ratios are medians over the rounds, each taken within one round. The exit code says
 * only whether Leash itself failed.
 *
 * @module
 */

import { parseArgs } from "node:util";
import type { Sample } from "./_cache_child.ts";
import { type ContestantName, CONTESTANTS } from "./_cache_contestant.ts";
import { type Plan, print, type Standing, toRows, toVerdicts } from "./_cache_table.ts";
import { figure } from "./_pool_result.ts";

const isShort = Boolean(Deno.env.get("LEASH_BENCH_SHORT"));
/** For one process. */
const LIMIT = isShort ? 15_000 : 120_000;

const { values: options } = parseArgs({
  args: Deno.args,
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string", default: Object.keys(CONTESTANTS).join() },
    entries: { type: "string", default: isShort ? "10000" : "10000,100000,1000000" },
    shares: { type: "string", default: isShort ? "50" : "1,10,50,100" },
    rounds: { type: "string", default: isShort ? "1" : "3" },
  },
});
const names = options.only.split(",") as ContestantName[];
const unknown = names.find((name) => !(name in CONTESTANTS));
if (unknown !== undefined) {
  throw new RangeError(
    `Cannot choose a contestant: expected one of ${Object.keys(CONTESTANTS)}: received ${unknown}`,
  );
}
const numbers = (list: string) => list.split(",").map(Number);
const plans = numbers(options.entries).flatMap((entries) =>
  numbers(options.shares).map((share): Plan => ({ entries, share }))
);

const report: unknown[] = [];
const failures: string[] = [];
if (isShort && !options.json) console.log("The short form: too little is done for fair ratios.\n");
for (const plan of plans) {
  const standings = await measure(plan);
  const [rows, bars] = [toRows(standings), toVerdicts(plan, standings)];
  report.push({ ...plan, rows, bars });
  const title = `${figure(plan.entries)} entries, ${plan.share} % of them expired; ` +
    `median (range) of ${options.rounds}`;
  if (!options.json) console.log(`${print(title, rows, bars)}\n`);
  for (const { name, problem } of standings) {
    if (name.startsWith("leash") && problem !== undefined) failures.push(problem);
  }
}
if (options.json) {
  console.log(JSON.stringify({ deno: Deno.version.deno, measures: report }, null, 2));
}
if (failures.length > 0) throw new Error(`Cannot measure Leash: ${failures.join("; ")}`);

async function measure(plan: Plan): Promise<Standing[]> {
  const standings = names.map((name): Standing => ({ name, samples: [] }));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (let turn = 0; turn < standings.length; turn++) {
      const standing = standings[(round + turn) % standings.length]!;
      if (standing.problem !== undefined) continue;
      const result = await run(standing.name, plan);
      if (typeof result === "string") standing.problem = result;
      else standing.samples.push(result);
    }
  }
  return standings;
}

/** A sample, or why there is none. */
async function run(name: ContestantName, { entries, share }: Plan): Promise<Sample | string> {
  // Where the bench itself runs without JSR, so does the child.
  const isOffline = import.meta.resolve("@std/assert").startsWith("file:");
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--quiet",
      "--v8-flags=--expose-gc",
      ...isOffline ? ["--import-map=tests/offline/import_map.json"] : [],
      "bench/_cache_child.ts",
      CONTESTANTS[name].module,
      `${entries}`,
      `${share}`,
    ],
    cwd: new URL("..", import.meta.url),
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT);
  const { success, code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  const text = new TextDecoder();
  if (success) return JSON.parse(text.decode(stdout));
  const [reason = ""] = text.decode(stderr).match(/^error:.*/m) ?? [];
  return `failed with code ${code}${reason && `, ${reason}`}`;
}
