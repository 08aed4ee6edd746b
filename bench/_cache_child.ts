/**
 * One contestant, one job, one process: fills a cache, reads it, lets a share of it expire, and has it
 * swept. Prints a {@linkcode Sample} as JSON.
 *
 * @module
 */

import process from "node:process";
import type { Cache, CacheModule, Value } from "./_cache_contestant.ts";
import { spread } from "./_rounds.ts";

/** What was measured. */
export interface Sample {
  /** Nanoseconds of this thread for an entry that is new, one that is read, and one that is set again. */
  readonly set: number;
  readonly get: number;
  readonly overwrite: number;
  /** Bytes for each entry with its key and value, after a garbage collection: on V8's heap, with
   * the buffers beside it, and of the process. */
  readonly heap: number;
  readonly memory: number;
  readonly rss: number;
  /** Milliseconds of processor time for one sweep, and of this thread for its longest piece. */
  readonly sweep: number;
  readonly stall: number;
  /** Entries that were removed. */
  readonly removed: number;
}

const [module, count, share] = Deno.args as [string, string, string];
const entries = Number(count);
const LONG = 3_600_000;
const SHORT = 600_000;
const { setTimeout } = globalThis;

/** Time goes on by this when entries are to expire. */
let leap = 0;
const pieces = { cpu: 0, longest: 0 };
watchTime();
watchTurns();

const { open }: CacheModule = await import(module);
// A program that runs for a while has swept before: nobody is measured with code that is not compiled.
await warmUp();
const names = Array.from({ length: entries }, (_, id) => `user:${id}`);
// Three times, because the heap of the process grows with the first one.
const fills = [await fillOnce(), await fillOnce()];
const before = memory();
const cache = open(entries);
fills.push(fill(cache));
const after = memory();

const random = randomBelow(entries);
const reads = Math.min(entries * 5, 250_000);
const gets = Array.from({ length: 5 }, () => {
  let hits = 0;
  const time = busy(() => {
    for (let read = 0; read < reads; read++) if (cache.get(names[random()]!) !== undefined) hits++;
  });
  if (hits !== reads) throw new Error(`Cannot measure reads: ${reads - hits} of ${reads} missed`);
  return time / reads;
});
const writes = Math.min(entries, 100_000);
const overwrites = Array.from({ length: 3 }, () =>
  busy(() => {
    for (let write = 0; write < writes; write++) set(cache, random());
  }) / writes);

// Whatever is owed by now must not be counted to the sweep.
gc();
await new Promise((resolve) => setTimeout(resolve, 20));
const expired = names.filter((_, id) => expires(id)).length;
pieces.cpu = pieces.longest = 0;
await sweep(cache, entries - expired);

const sample: Sample = {
  set: spread(fills).median * 1e6,
  get: spread(gets).median * 1e6,
  overwrite: spread(overwrites).median * 1e6,
  heap: (after.heap - before.heap) / entries,
  memory: (after.memory - before.memory) / entries,
  rss: (after.rss - before.rss) / entries,
  sweep: pieces.cpu,
  stall: pieces.longest,
  removed: entries - cache.size(),
};
if (sample.removed !== expired) {
  throw new Error(`Cannot sweep: removed ${sample.removed} instead of ${expired}`);
}
console.log(JSON.stringify(sample));
Deno.exit();

async function warmUp(): Promise<void> {
  for (let round = 0; round < 5; round++) {
    const small = open(5_000);
    for (let id = 0; id < 5_000; id++) set(small, id);
    for (let id = 0; id < 5_000; id++) small.get(`user:${id}`);
    await sweep(small, 5_000 * (1 - Number(share) / 100));
    small.close?.();
  }
}

/** Lets time go on until entries expire, and removes them. */
async function sweep(cache: Cache, rest: number): Promise<void> {
  leap += SHORT + 1_000;
  const { sweep } = cache;
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (sweep !== undefined) timed(() => sweep());
  else while (cache.size() > rest) await new Promise((resolve) => setTimeout(resolve, 20));
}

function set(cache: Cache, id: number): void {
  const value: Value = { id, name: `n${id}` };
  cache.set(`user:${id}`, value, expires(id) ? SHORT : LONG);
}

/** Those that will expire lie between the others. */
function expires(id: number): boolean {
  return (id * 7_919) % 100 < Number(share);
}

function memory(): { heap: number; memory: number; rss: number } {
  // The first one leaves buffers to be freed.
  gc();
  gc();
  const { heapUsed, external, rss } = Deno.memoryUsage();
  return { heap: heapUsed, memory: heapUsed + external, rss };
}

function timed(run: () => void): void {
  const cpu = process.cpuUsage();
  const time = busy(run);
  const { user, system } = process.cpuUsage(cpu);
  pieces.cpu += (user + system) / 1_000;
  pieces.longest = Math.max(pieces.longest, time);
}

/**
 * For how long it kept this thread busy, in milliseconds. While others have the processor does not
 * count; where helpers of V8 use more of it than that, real time does.
 */
function busy(run: () => void): number {
  const cpu = process.cpuUsage();
  const start = performance.now();
  run();
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return Math.min(took, (user + system) / 1_000);
}

async function fillOnce(): Promise<number> {
  const cache = open(entries);
  const time = fill(cache);
  cache.close?.();
  // Nothing on the stack may hold it when the memory is measured.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return time;
}

function fill(cache: Cache): number {
  return busy(() => {
    for (let id = 0; id < entries; id++) set(cache, id);
  }) / entries;
}

/** All contestants read the same two clocks. */
function watchTime(): void {
  const now = Date.now;
  const monotonic = performance.now.bind(performance);
  Date.now = () => now() + leap;
  performance.now = () => monotonic() + leap;
}

/** For sweeps that come by themselves: the turns of the event loop that they take. */
function watchTurns(): void {
  const { setTimeout, setImmediate } = globalThis;
  const watched = (run: () => void) => () => timed(run);
  globalThis.setTimeout = Object.assign(
    (run: () => void, delay?: number) => setTimeout(watched(run), delay),
    setTimeout,
  ) as typeof setTimeout;
  globalThis.setImmediate =
    ((run: () => void) => setImmediate(watched(run))) as typeof setImmediate;
}

function randomBelow(limit: number): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) % limit;
  };
}

/** There with `--expose-gc`. */
declare function gc(): void;
