import type { Contestant, ContestantModule, Isolation } from "./_pool_contestant.ts";
import { isFree, isHeld } from "./_pool_lock.ts";

/** What a contestant is to do in each round. */
export type Job =
  /** Always so many runs in flight, until the time is over; then what is in flight ends too. */
  | {
    readonly kind: "flood";
    readonly what: "echo" | "hand" | "clone";
    readonly outstanding: number;
    readonly time: number;
  }
  /** One run after the other. */
  | { readonly kind: "single"; readonly time: number }
  /** So many runs asked for at once. */
  | { readonly kind: "stall"; readonly tasks: number }
  /** A new pool, and its first result. */
  | { readonly kind: "start" }
  /** The abort of a run that waits. */
  | { readonly kind: "abort" }
  /** The abort of a run that never yields. */
  | { readonly kind: "kill"; readonly isolation: Isolation };

/** The outcome of one round. */
export interface Sample {
  /** In the unit of the measure. */
  readonly value: number;
  /** What stands beside it in the table. */
  readonly extra?: number;
}

/** A job that is ready to be done. */
export interface PreparedJob {
  round(): Promise<Sample>;
  close(): Promise<unknown> | void;
}

/** Makes the pool where the rounds share one, and does the job once to warm everything up. */
export async function prepare(module: ContestantModule, job: Job): Promise<PreparedJob> {
  if (job.kind === "start" || job.kind === "abort" || job.kind === "kill") {
    const once = { start, abort, kill }[job.kind];
    const isolation = job.kind === "kill" ? job.isolation : "worker";
    const round = () => once(module, isolation);
    if (job.kind === "start") await round();
    return { round, close: () => {} };
  }
  const pool = await module.open("worker");
  const round = (share = 1): Promise<Sample> => {
    if (job.kind === "single") return single(pool, job.time * share);
    if (job.kind === "stall") return stall(pool, job.tasks * share);
    return flood(task(pool, job.what), job.outstanding, job.time * share);
  };
  await round(0.2);
  return { round: () => round(), close: () => pool.close() };
}

const BYTES = 64 * 1024;
const MEBIBYTE = 1024 * 1024;

/** One run that makes sure of its result. */
function task(pool: Contestant, what: "echo" | "hand" | "clone"): (n: number) => Promise<void> {
  // The same bytes twice in one message are cloned only once.
  const bytes = Array.from({ length: 64 }, () => new Uint8Array(BYTES));
  const check = (result: unknown, expected: unknown) => {
    if (result !== expected) throw new Error(`expected ${expected}: received ${result}`);
  };
  return {
    echo: async (n: number) => check(await pool.echo(n), n),
    hand: async () => check(await pool.hand!(new ArrayBuffer(MEBIBYTE)), MEBIBYTE),
    clone: async (n: number) => check((await pool.echo(bytes[n % 64]!)).length, BYTES),
  }[what];
}

async function flood(
  run: (n: number) => Promise<void>,
  outstanding: number,
  time: number,
): Promise<Sample> {
  let count = 0;
  let isOver = false;
  const start = performance.now();
  const next = async () => {
    do {
      await run(count++);
      // To look at the clock for each would be a part of the fastest ones.
      if ((count & 15) === 0 && performance.now() - start >= time) isOver = true;
    } while (!isOver);
  };
  await Promise.all(Array.from({ length: outstanding }, next));
  return { value: count / (performance.now() - start) * 1000 };
}

async function single(pool: Contestant, time: number): Promise<Sample> {
  const took: number[] = [];
  const end = performance.now() + time;
  while (true) {
    const start = performance.now();
    if (start >= end) break;
    await pool.echo(took.length);
    took.push(performance.now() - start);
  }
  took.sort((a, b) => a - b);
  return { value: took[took.length >> 1]! * 1000 };
}

/** How long an idle process is watched, in milliseconds. */
const IDLE = 200;

async function stall(pool: Contestant, tasks: number): Promise<Sample> {
  await pause(20);
  const idle = await longestDelay(() => pause(IDLE));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let left = tasks;
  const count = () => --left === 0 && resolve();
  const start = performance.now();
  for (let n = 0; n < tasks; n++) pool.echo(n).then(count, reject);
  // To ask for them all is one piece of work of the caller: it counts on its own.
  const extra = performance.now() - start;
  const drain = await longestDelay(() => promise);
  return { value: Math.max(0, drain - idle), extra };
}

/** By how much a timer of 1 ms was late at most, while the work was under way. */
async function longestDelay(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  };
  const timer = setInterval(look, 1);
  await work();
  look();
  clearInterval(timer);
  return longest;
}

async function start(module: ContestantModule): Promise<Sample> {
  const start = performance.now();
  const pool = await module.open("worker");
  await pool.echo(1);
  const value = performance.now() - start;
  await pool.close();
  await pause(20);
  return { value };
}

/** After this time, in milliseconds, an aborted task is taken for one that is never gone. */
const PATIENCE = 3_000;

async function abort(module: ContestantModule): Promise<Sample> {
  const pool = await module.open("worker");
  await pool.echo(1);
  const lock = crypto.randomUUID();
  const controller = new AbortController();
  const run = settled(pool.hold!(lock, controller.signal));
  while (!await isHeld(lock)) await pause(5);
  await pause(20);
  const start = performance.now();
  controller.abort();
  const isGone = await Promise.race([
    Promise.all([run, isFree(lock)]),
    pause(PATIENCE).then(() => false),
  ]);
  if (isGone === false) throw new Error(`not gone after ${PATIENCE / 1_000} s`);
  const value = performance.now() - start;
  await pool.close();
  return { value };
}

async function kill(module: ContestantModule, isolation: Isolation): Promise<Sample> {
  const pool = await module.open(isolation);
  await pool.echo(1);
  const controller = new AbortController();
  let isRunning = true;
  const run = settled(pool.spin!(controller.signal)).then(() => isRunning = false);
  // A worker that is warm needs far less to begin.
  await pause(50);
  if (!isRunning) throw new Error("the run ended before it was aborted");
  const start = performance.now();
  controller.abort();
  await run;
  // Resolves when every death was observed.
  await pool.close();
  return { value: performance.now() - start };
}

function settled(run: Promise<unknown>): Promise<unknown> {
  return run.then(() => {}, () => {});
}

function pause(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time));
}
