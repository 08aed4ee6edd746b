/**
 * The headline: caches with a time to live, and what it costs to remove what has expired. Processor time
 * of a sweep on the main thread and in all, for how long it holds up the main thread, what reads and
 * writes cost, and what reads see of the sweeps, how much memory an entry takes, what the garbage
 * collector has to do, and how all that grows with the number of entries. Ratios are to lru-cache. The
 * bars that Leash is to keep to follow.
 *
 * `deno task bench:sweep [--json] [--only leash,lru-cache] [--entries 10000,1000000]
 * [--shares 50] [--rounds 3] [--svg FILE] [--readme]`. `--entries 10000000 --shares 50 --rounds 1` takes
 * some 4 GiB. `--readme` puts the picture and the table of the run into the README.
 * `LEASH_BENCH_SHORT=1` measures small caches, in a few seconds.
 *
 * Each contestant has a process of its own in each round; in a round they take turns, each round in
 * another order. Ratios are medians over the rounds, each taken within one round. The exit code says
 * only whether Leash itself failed.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { type ContestantName, CONTESTANTS } from "./_sweep_contestant.ts";
import { toVerdicts } from "./_sweep_bars.ts";
import { toJson } from "./_sweep_json.ts";
import { type Measure, toGrowth } from "./_sweep_result.ts";
import { run } from "./_sweep_run.ts";
import { printContestants, printGrowth, printMeasure, printVerdicts } from "./_sweep_table.ts";

const isShort = Boolean(Deno.env.get("LEASH_BENCH_SHORT"));

const { values: options } = parseArgs({
  args: Deno.args.filter((arg) => arg !== "--"),
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string", default: Object.keys(CONTESTANTS).join() },
    entries: { type: "string", default: isShort ? "2000" : "10000,100000,1000000" },
    shares: { type: "string", default: isShort ? "50" : "50,1,10,100" },
    rounds: { type: "string", default: isShort ? "1" : "3" },
    svg: { type: "string" },
    readme: { type: "boolean", default: false },
  },
});
const names = options.only.split(",") as ContestantName[];
const unknown = names.find((name) => !(name in CONTESTANTS));
if (unknown !== undefined) {
  throw new RangeError(
    `Cannot choose a contestant: expected one of ${Object.keys(CONTESTANTS)}: received ${unknown}`,
  );
}
const numbers = (list: string): number[] => {
  const all = list.split(",").map(Number);
  if (all.every((number) => number > 0)) return all;
  throw new RangeError(`Cannot measure: expected numbers above 0, with commas: received ${list}`);
};
const shares = numbers(options.shares);
/** What the growth, the picture and the README show. */
const share = shares.includes(50) ? 50 : shares[0]!;
const say = (text: string) => {
  if (!options.json) console.log(`${text}\n`);
};

const start = performance.now();
const measures: Measure[] = [];
if (isShort) say("The short form: too little is done for fair ratios.");
say(printContestants(names));
for (const entries of numbers(options.entries)) {
  const measure = await run({
    names,
    entries,
    shares,
    rounds: Number(options.rounds),
    cycles: isShort ? 1 : 3,
    window: isShort ? 100 : 400,
    limit: isShort ? 15_000 : Math.max(120_000, entries / 1e6 * 120_000),
  });
  measures.push(measure);
  say(printMeasure(measure, shares));
}
const growth = toGrowth(measures, share);
const verdicts = toVerdicts(measures);
say(printGrowth(growth, share));
if (verdicts.length > 0) say(printVerdicts(verdicts));
say(`${Math.round((performance.now() - start) / 1_000)} s in all`);
if (options.json) console.log(JSON.stringify(toJson(measures, shares, growth, verdicts), null, 2));
// What draws is loaded when something is to be drawn.
if (options.svg !== undefined) {
  const { plot } = await import("./_sweep_plot.ts");
  await Deno.writeTextFile(options.svg, await plot(measures, share));
}
if (options.readme) {
  const { writeReadme } = await import("./_sweep_readme.ts");
  await writeReadme(measures, share, growth, verdicts);
}

const failures = measures.flatMap(({ standings }) =>
  standings.flatMap(({ name, problem }) =>
    problem !== undefined && /^(leash|shared)/.test(name) ? [`${name}: ${problem}`] : []
  )
);
if (failures.length > 0) throw new Error(`Cannot measure Leash: ${failures.join("; ")}`);
