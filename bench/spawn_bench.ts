/**
 * What a worker costs: the time from nothing to the first result, the time from an abort to the
 * observed death, and for how long the main thread does not answer while eight workers are made.
 * Beside it stand a bare `new Worker` and a child process.
 *
 * `deno task bench bench/spawn_bench.ts`, or `deno run -A bench/spawn_bench.ts [--json]`.
 * `LEASH_BENCH_SHORT=1` measures few rounds.
 *
 * @module
 */

import { after, liveWorkers, Scheduler } from "../mod.ts";
import { spread } from "./_rounds.ts";

const isShort = Boolean(Deno.env.get("LEASH_BENCH_SHORT"));
const isJson = Deno.args.includes("--json");
const ROUNDS = isShort ? 5 : 25;

const ECHO = new URL("./_spawn_echo.ts", import.meta.url);
const BARE = new URL("./_spawn_bare.ts", import.meta.url);
const CHILD = new URL("./_spawn_child.ts", import.meta.url);

/** The longest time for which the main thread does not answer while `work` is under way. */
async function stallDuring(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  await work();
  clearInterval(timer);
  return longest;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function bareEcho(): { worker: Worker; answered: Promise<void> } {
  const worker = new Worker(BARE, { type: "module" });
  const { promise, resolve } = Promise.withResolvers<void>();
  worker.onmessage = () => resolve();
  worker.postMessage(1);
  return { worker, answered: promise };
}

const owner = new AbortController();
const scheduler = new Scheduler({ signal: owner.signal, onEvent: () => {} });
const never = after({ days: 1 });
const cold = scheduler.add(ECHO, { name: "cold", schedule: never, input: 1, idleTimeout: 0 });
const warm = scheduler.add(ECHO, {
  name: "warm",
  schedule: never,
  input: 1,
  // The next due time is far away, so the worker would not be kept.
  idleTimeout: Infinity,
});
await warm.trigger();

const firstResult = {
  "bare Worker": async () => {
    let worker: Worker;
    const took = await timed(() => {
      const bare = bareEcho();
      worker = bare.worker;
      return bare.answered;
    });
    worker!.terminate();
    return took;
  },
  "Leash, new worker": async () => {
    const took = await timed(() => cold.trigger());
    // The worker ends on its own time, and that must not count in the next round.
    while ((await liveWorkers()).some(({ task }) => task === "cold")) await turn();
    return took;
  },
  "Leash, warm worker": () => timed(() => warm.trigger()),
  "deno run": () =>
    timed(() => new Deno.Command(Deno.execPath(), { args: ["run", CHILD.pathname] }).output()),
};

/** A task that waits, aborted with no grace at all: how long until nothing of it is left. */
const death = {
  "bare terminate(), nothing observed": async () => {
    const { worker, answered } = bareEcho();
    await answered;
    return await timed(() => Promise.resolve(worker.terminate()));
  },
  "Leash, it obeys": () => abortOne("obeys", 10_000),
  "Leash, it does not, grace 0": () => abortOne("ignores", 0),
};

let count = 0;

async function abortOne(input: string, gracePeriod: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const one = new AbortController();
  const single = new Scheduler({
    signal: one.signal,
    gracePeriod,
    onEvent: ({ type }) => type === "run-progress" && resolve(),
  });
  const name = `abort-${++count}`;
  void single.add(ECHO, { name, schedule: never, input }).trigger();
  await promise;
  return await timed(() => {
    one.abort();
    return single.finished;
  });
}

const eight = {
  "bare Worker, eight in a row": () =>
    stallDuring(async () => {
      const all = Array.from({ length: 8 }, bareEcho);
      await Promise.all(all.map(({ answered }) => answered));
      for (const { worker } of all) worker.terminate();
    }),
  "Leash, eight tasks at once": () =>
    stallDuring(async () => {
      const tasks = Array.from(
        { length: 8 },
        (_, index) => scheduler.add(ECHO, { name: `eight-${index}`, schedule: never, input: 1 }),
      );
      await Promise.all(tasks.map((task) => task.trigger()));
      await Promise.all(tasks.map((task) => task.remove()));
    }),
};

const report: { title: string; rows: Record<string, string | number>[] }[] = [];
for (
  const [title, ways] of Object.entries({
    "milliseconds to the first result": firstResult,
    "milliseconds from the abort to the observed death": death,
    "longest stall of the main thread in milliseconds": eight,
  })
) {
  const values = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries<() => Promise<number>>(ways)) {
      values.get(name)!.push(await way());
      // What the last one left to do for the system is not for the next one to pay.
      await turn(10);
    }
  }
  const first = spread(values.values().next().value!).median;
  report.push({
    title,
    rows: [...values].map(([way, all]) => {
      const { median, min, max } = spread(all);
      const round = (value: number): number => Number(value.toPrecision(3));
      return {
        way,
        "× the first": round(median / first),
        median: round(median),
        min: round(min),
        max: round(max),
      };
    }),
  });
}
owner.abort();
await scheduler.finished;

if (isJson) console.log(JSON.stringify({ deno: Deno.version.deno, tables: report }, null, 2));
else {
  for (const { title, rows } of report) {
    console.log(`${title}; ${ROUNDS} rounds`);
    console.table(rows);
  }
}

function turn(delay = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delay));
}
