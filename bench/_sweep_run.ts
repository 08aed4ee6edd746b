import { child } from "./_child.ts";
import { type ContestantName, CONTESTANTS } from "./_sweep_contestant.ts";
import type { Measure, Standing } from "./_sweep_result.ts";
import type { Job, Sample } from "./_sweep_sample.ts";

/** What to measure. */
export interface Plan {
  readonly names: readonly ContestantName[];
  readonly entries: number;
  readonly shares: readonly number[];
  readonly rounds: number;
  /** How often a child sweeps while it reads, and how long it reads for each, in milliseconds. */
  readonly cycles: number;
  readonly window: number;
  /** Milliseconds for one child. */
  readonly limit: number;
}

interface Outcome {
  readonly sample?: Sample;
  readonly problem?: string;
  readonly notes: string[];
  readonly took: number;
}

/** A child that takes longer is run in one round only, in milliseconds. */
const LONG = 45_000;

/**
 * Gives each contestant a process of its own in each round; in a round they take turns, each round in
 * another order.
 */
export async function run(plan: Plan): Promise<Measure> {
  const standings = plan.names.map((name): Standing => ({ name, samples: [], notes: [] }));
  const done = new Set<Standing>();
  for (let round = 0; round < plan.rounds; round++) {
    for (let turn = 0; turn < standings.length; turn++) {
      const standing = standings[(round + turn) % standings.length]!;
      if (done.has(standing)) continue;
      const { sample, problem, notes, took } = await runChild(standing.name, plan);
      for (const note of notes) if (!standing.notes.includes(note)) standing.notes.push(note);
      if (sample !== undefined) standing.samples.push(sample);
      if (problem !== undefined) {
        done.add(standing);
        if (standing.samples.length === 0) standing.problem = problem;
        else standing.notes.push(problem);
      } else if (took > LONG && plan.rounds > 1) {
        done.add(standing);
        standing.notes.push(`in one round only: it takes ${Math.round(took / 1_000)} s`);
      }
    }
  }
  return { entries: plan.entries, standings };
}

async function runChild(name: ContestantName, plan: Plan): Promise<Outcome> {
  const { module, sweeping } = CONTESTANTS[name];
  const { entries, shares, cycles, window, limit } = plan;
  const job: Job = { module, sweeping, entries, shares, cycles, window, budget: limit * 0.7 };
  const start = performance.now();
  const process = child("bench/_sweep_child.ts", [JSON.stringify(job)], {
    v8Flags: entries > 2_000_000 ? ["--max-old-space-size=16384"] : [],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    process.kill("SIGKILL");
  }, limit);
  const { success, code, stdout, stderr } = await process.output();
  clearTimeout(timer);
  const text = new TextDecoder();
  const outcome = collect(text.decode(stdout));
  const took = performance.now() - start;
  if (success) return { ...outcome, took };
  const [reason = ""] = text.decode(stderr).match(/^error:.*/m) ?? [];
  const problem = isLate
    ? `not measured to the end: more than ${limit / 1_000} s`
    : `failed with code ${code}${reason && `, ${reason}`}`;
  return { ...outcome, problem, took };
}

/** Puts together what a child has printed, perhaps not to its end. */
function collect(output: string): Pick<Outcome, "sample" | "problem" | "notes"> {
  let sample: Sample = { sweeps: {} };
  const notes: string[] = [];
  for (const line of output.split("\n").slice(0, -1)) {
    const part: Partial<Sample> & { missing?: string; skipped?: number } = JSON.parse(line);
    if (part.missing !== undefined) return { problem: `not measured: ${part.missing}`, notes };
    if (part.skipped !== undefined) notes.push(`${part.skipped} % not measured: no time left`);
    else sample = { ...sample, ...part, sweeps: { ...sample.sweeps, ...part.sweeps } };
  }
  return { ...sample.life && { sample }, notes };
}
