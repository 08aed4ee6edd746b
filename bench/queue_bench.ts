/**
 * How fast the work queue is, beside queues that know neither keys nor delays, how much a delayed key
 * costs, and how much it costs to reconcile a key in a worker beside a call of the same function. Each
 * table is followed by the bars that Leash is to reach.
 *
 * BullMQ is left out: it needs a Redis beside it, which then is most of what is measured.
 *
 * `deno task bench bench/queue_bench.ts`, or `deno run -A bench/queue_bench.ts [--json]`.
 * `LEASH_BENCH_SHORT=1` measures small amounts, in a few seconds.
 *
 * Each contestant has a process of its own in each round, and each round has another order; ratios are
 * medians over the rounds, each taken within one round.
 *
 * @module
 */

import { child } from "./_child.ts";
import type { QueueSample } from "./_queue_jobs.ts";
import { type Bar, figures, type Plan, print, type QueueStanding } from "./_queue_table.ts";

const isShort = Boolean(Deno.env.get("LEASH_BENCH_SHORT"));
const isJson = Deno.args.includes("--json");
const rounds = isShort ? 1 : 3;
const [many, delayed, reconciled] = isShort
  ? [100_000, 100_000, 4_000]
  : [300_000, 1_000_000, 10_000];
const LEASH = "_queue_leash.ts";
const CONTROLLER = "_queue_controller.ts";
const PEERS = "peers/queues.ts";

/** By the clock, and by the time on a core: other programs may share the machine. */
const FAST: Bar[] = (["perSecond", "perCoreSecond"] as const)
  .map((what) => ({ of: "Leash: take(), done()", what, atLeast: 2_000_000 }));

const plans: Plan[] = [
  {
    title: "add, take and done of distinct keys, one consumer, 1,000 queued at a time",
    count: many,
    contestants: [
      { name: "Leash: take(), done()", module: LEASH, job: "batches" },
      { name: "Leash: using = await take()", module: LEASH, job: "using" },
      { name: "Leash: tryTake(), done()", module: LEASH, job: "looking" },
      { name: "fastq", module: PEERS, job: "fastqBatches" },
      { name: "p-queue", module: PEERS, job: "pQueueBatches" },
    ],
    bars: FAST,
  },
  {
    title: "the same, all keys queued at once",
    count: many,
    contestants: [
      { name: "Leash: take(), done()", module: LEASH, job: "atOnce" },
      { name: "fastq", module: PEERS, job: "fastqAtOnce" },
    ],
    bars: FAST,
  },
  {
    title: "the same, 100 consumers that wait, 100 keys added in a turn",
    count: many,
    contestants: [
      { name: "Leash: take(), done()", module: LEASH, job: "contended" },
      { name: "fastq", module: PEERS, job: "fastqContended" },
      { name: "p-queue", module: PEERS, job: "pQueueContended" },
    ],
    bars: [],
  },
  {
    title: "add of a key that is queued",
    count: many,
    contestants: [{ name: "Leash: add()", module: LEASH, job: "dedup" }],
    bars: [{ of: "Leash: add()", what: "ns", atMost: 150 }],
  },
  {
    title: `addAfter of ${figures(delayed)} keys`,
    count: delayed,
    contestants: [{ name: "Leash: addAfter()", module: LEASH, job: "delayed" }],
    bars: [
      { of: "Leash: addAfter()", what: "ns", atMost: 3_000 },
      { of: "Leash: addAfter()", what: "bytes", atMost: 200 },
      { of: "Leash: addAfter()", what: "timers", atMost: 1 },
    ],
  },
  {
    title: "a controller, from add() to the end of the run: the reconcile does next to nothing",
    count: reconciled,
    // It starts workers, which takes its time.
    warmUp: 500,
    contestants: [
      { name: "one key at a time", module: CONTROLLER, job: "one" },
      { name: "four workers", module: CONTROLLER, job: "four" },
      { name: "one worker, 64 keys at once", module: CONTROLLER, job: "batches" },
      { name: "a call in this thread", module: CONTROLLER, job: "direct" },
    ],
    bars: [],
  },
];

if (isShort && !isJson) console.log("The short form: too little is done for fair ratios.\n");
const report: unknown[] = [];
for (const plan of plans) {
  const standings = plan.contestants.map(({ name }): QueueStanding => ({ name, samples: [] }));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < standings.length; turn++) {
      const index = (round + turn) % standings.length;
      const { module, job } = plan.contestants[index]!;
      standings[index]!.samples.push(await measure(module, job, plan));
    }
  }
  const { text, rows, bars } = print(plan, standings);
  report.push({ title: plan.title, rounds, keys: plan.count, rows, bars });
  if (!isJson) console.log(`${text}\n`);
}
if (isJson) console.log(JSON.stringify({ deno: Deno.version.deno, tables: report }, null, 2));

/** One round of one contestant, in a process of its own. */
async function measure(module: string, job: string, plan: Plan): Promise<QueueSample> {
  const { count, warmUp = 100_000 } = plan;
  const { success, stdout, stderr } = await child(
    "bench/_queue_child.ts",
    [module, job, `${count}`, `${Math.min(count, warmUp)}`],
    // A contestant that hangs must not keep the bench.
    { signal: AbortSignal.timeout(60_000) },
  ).output();
  const text = new TextDecoder();
  if (success) return JSON.parse(text.decode(stdout));
  throw new Error(`Cannot measure ${job} of ${module}: ${text.decode(stderr).trim()}`);
}
