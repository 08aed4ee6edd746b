/**
 * The pool of Leash beside other pools, on the same Deno in the same minutes, two workers each: how
 * many tasks a second, how long one takes, for how long the main thread does not answer, how soon the
 * first result is there, and how soon an aborted task is gone. Each table is followed by the bars
 * that Leash is to reach.
 *
 * `deno task bench bench/pool_bench.ts`, or
 * `deno run -A bench/pool_bench.ts [--json] [--only leash,piscina] [--measure echo-10k,abort]`.
 * `LEASH_BENCH_SHORT=1` measures small amounts, in a few seconds.
 *
 * Each contestant has a process of its own, and a limit: one that fails or hangs is shown as such.
 * The exit code says only whether Leash itself failed. In each round all contestants do the job, one
 * after the other; ratios are medians over the rounds, each taken within one round.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { type ContestantName, CONTESTANTS } from "./_pool_contestant.ts";
import { type Plan, plans } from "./_pool_plan.ts";
import { ContestantProcess } from "./_pool_process.ts";
import { type Standing, toRows, toVerdicts } from "./_pool_result.ts";
import { print } from "./_pool_table.ts";

const isShort = Boolean(Deno.env.get("LEASH_BENCH_SHORT"));
/** For one round of one contestant, its start and the first round of its pool included. */
const LIMIT = isShort ? 15_000 : 60_000;

const { values: options } = parseArgs({
  args: Deno.args,
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string" },
    measure: { type: "string" },
  },
});
const all = plans(isShort);
const only = choose("contestant", options.only, Object.keys(CONTESTANTS));
const chosen = choose("measure", options.measure, all.map(({ name }) => name));

const processes = new Map<ContestantName, ContestantProcess>();
/** Those that ran into the limit. They get no other chance: the bench must end. */
const hung = new Map<ContestantName, string>();
const report: unknown[] = [];
const failures: string[] = [];

if (isShort && !options.json) console.log("The short form: too little is done for fair ratios.\n");
for (const plan of all.filter(({ name }) => chosen.includes(name))) {
  const standings = await measure(plan);
  const rows = toRows(plan, standings);
  const verdicts = toVerdicts(plan, standings);
  const { name, title, unit, rounds } = plan;
  report.push({ name, title, unit, rounds, rows, bars: verdicts });
  if (!options.json) console.log(`${print(plan, rows, verdicts)}\n`);
  const problem = standings.find(({ name }) => name === "leash")?.problem;
  if (problem?.kind === "failed") failures.push(`${name}: ${problem.text}`);
  // In the long form, no measure has to do with what an earlier one left behind.
  if (!isShort) await closeAll();
}
await closeAll();
if (options.json) {
  console.log(JSON.stringify({ deno: Deno.version.deno, measures: report }, null, 2));
}
if (failures.length > 0) throw new Error(`Cannot measure Leash: ${failures.join("; ")}`);

/** All contestants in each round, each round in another order. */
async function measure(plan: Plan): Promise<Standing[]> {
  const standings = plan.contestants
    .filter((name) => only.includes(name))
    .map((name): Standing => ({ name, samples: [] }));
  for (let round = 0; round < plan.rounds; round++) {
    for (let turn = 0; turn < standings.length; turn++) {
      const standing = standings[(round + turn) % standings.length]!;
      if (standing.problem === undefined) await ask(standing, plan);
    }
  }
  return standings;
}

async function ask(standing: Standing, { job }: Plan): Promise<void> {
  const { name } = standing;
  const before = hung.get(name);
  if (before !== undefined) {
    standing.problem = { kind: "failed", text: before };
    return;
  }
  let process = processes.get(name);
  if (process === undefined || process.isOver) {
    process = new ContestantProcess(name);
    processes.set(name, process);
  }
  const answer = await process.ask(job, LIMIT);
  if ("sample" in answer) standing.samples.push(answer.sample);
  else if ("missing" in answer) standing.problem = { kind: "missing", text: "not built yet" };
  else {
    standing.problem = { kind: "failed", text: `failed: ${answer.failure}` };
    if (answer.hung) hung.set(name, "left out: it hung before");
  }
}

async function closeAll(): Promise<void> {
  await Promise.all([...processes.values()].map((process) => process.close()));
  processes.clear();
}

/** The names in a list with commas; all of them without one. */
function choose(what: string, list: string | undefined, known: string[]): string[] {
  if (list === undefined) return known;
  const names = list.split(",");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  throw new RangeError(
    `Cannot choose a ${what}: expected one of ${known.join(", ")}: received ${unknown}`,
  );
}
