/**
 * One contestant with one number of entries, in a process of its own: fills caches, reads them, lets a
 * share of the entries expire, and has them swept. Prints each part of a {@linkcode Sample} as soon as
 * there is one, as a line of JSON.
 *
 * @module
 */

import type { Cache, CacheModule, Sweeping } from "./_sweep_contestant.ts";
import { expires, keyOf, randomBelow } from "./_sweep_data.ts";
import { fill, read } from "./_sweep_fill.ts";
import { measureReads } from "./_sweep_reads.ts";
import type { Job, Life, Sample, Sweep } from "./_sweep_sample.ts";
import {
  cpu,
  delay,
  fakeClocks,
  findWorkers,
  forgetTimers,
  held,
  holdTimers,
  leap,
  now,
  pieces,
  type Probe,
  releaseTimers,
  startProbe,
  threadTime,
  timed,
  watchTimers,
} from "./_sweep_time.ts";
import { spread } from "./_rounds.ts";

const job: Job = JSON.parse(Deno.args[0]!);
const { entries, shares } = job;
const sweeping = job.sweeping as Sweeping;
const LONG = 360_000_000;
/** Of what is to expire; timers have to wait for it, all others see the clock leap. */
let short = 600_000;
/** What waiting costs, as a share of a processor. */
let idleRate = 0;
/** How long a major garbage collection takes, in milliseconds. */
let collection = 0;
/** How long an entry took at most to be set, in milliseconds, with all that the machine did meanwhile. */
let slowest = 0;
/** Milliseconds between two looks whether a sweep has come to its end. */
const POLL = 3;
const WARM_UP = 5_000;
const WARM_UPS = 4;
/** The share of entries that expire while others are read. */
const READ_SHARE = 10;

fakeClocks();
if (sweeping === "itself") watchTimers();
const { open }: CacheModule = await import(job.module);
try {
  await close(await open(10));
} catch (error) {
  report({ missing: error instanceof Error ? error.message : String(error) });
  Deno.exit();
}
// A program that runs for a while has swept before: nobody is measured with code that is not compiled.
for (let round = 0; round < WARM_UPS; round++) await warmUp();

if (sweeping === "timers") idleRate = await measureIdle();
const fills: number[] = [];
const life = await live();
for (const share of shares) {
  // As long as the last fill took, a sweep by timers waits twice.
  if (now() + slowest * entries * 4 > job.budget) {
    report({ skipped: share });
    continue;
  }
  report({ sweeps: { [share]: await sweepOne(share) } });
  // The heap of the process grows with the first one, so one fill would say little.
  report({ life: { ...life, set: spread(fills).median * 1e6 } });
}
Deno.exit();

function report(part: Partial<Sample> | { missing: string } | { skipped: number }): void {
  console.log(JSON.stringify(part));
}

async function warmUp(): Promise<void> {
  short = sweeping === "timers" ? 20 : 600_000;
  const small = await open(WARM_UP);
  fill(small, WARM_UP, (id) => expires(id, 50) ? short : LONG);
  for (let id = 0; id < WARM_UP; id++) small.get(keyOf(id));
  await sweep(small, () => hasRemoved(small, WARM_UP, WARM_UP / 2));
  await close(small);
}

async function live(): Promise<Life> {
  const before = memory();
  let cache: Cache | undefined = await open(entries);
  fillAll(cache, () => LONG);
  const after = memory();
  const lost = cache.lost?.() ?? 0;
  const collections = Array.from({ length: 3 }, () => held(gc));
  collection = spread(collections).median;
  const random = randomBelow(entries);
  const reads = Math.min(entries * 10, 200_000);
  const gets = Array.from({ length: 3 }, () => read(cache!, reads, random));
  const writes = Math.min(entries / 10, 100_000);
  const overwrites = Array.from(
    { length: 3 },
    () => fill(cache!, writes, () => LONG, random),
  );
  gc();
  await delay(20);
  const probe = startProbe();
  await delay(100);
  const life: Life = {
    set: fills[0]! * 1e6,
    get: spread(gets).median * 1e6,
    overwrite: spread(overwrites).median * 1e6,
    heap: (after.heap - before.heap) / entries,
    memory: (after.memory - before.memory) / entries,
    rss: (after.rss - before.rss) / entries,
    gc: collection,
    lost: lost / entries * 1e6,
    idleStall: probe.stop(),
  };
  report({ life });
  const isRead = (id: number) => !expires(id, READ_SHARE);
  const ids = Array.from({ length: 5_000 }, () => random()).filter(isRead);
  const keys = ids.map(keyOf);
  report({ idle: await measureReads(cache, keys, { cycles: 1, window: job.window }) });
  const refreshed = Array.from({ length: entries }, (_, id) => id).filter((id) => !isRead(id));
  short = sweeping === "timers" ? timersTime(refreshed.length) : 600_000;
  const cycle = {
    prepare: () => void fill(cache!, refreshed.length, () => short, (at) => refreshed[at!]!),
    sweep: () => sweep(cache!, () => cache!.size() <= entries - refreshed.length),
  };
  report({ sweeping: await measureReads(cache, keys, job, cycle) });
  await close(cache);
  cache = undefined;
  // Nothing on the stack may hold it any longer.
  await delay(5);
  gc();
  return life;
}

/** `patience`: how many times as long as expected timers are to wait. */
async function sweepOne(share: number, patience = 1): Promise<Sweep> {
  short = sweeping === "timers" ? timersTime(entries) * patience : 600_000;
  const cache = await open(entries);
  fillAll(cache, (id) => expires(id, share) ? short : LONG);
  let expired = 0;
  for (let id = 0; id < entries; id++) if (expires(id, share)) expired++;
  // Whatever is owed by now must not be counted to the sweep.
  gc();
  await delay(20);
  if (sweeping === "timers" && cache.size() < entries) {
    // On a busy machine all that took too long: timers have fired already, and nobody has watched.
    if (patience > 4) throw new Error("Cannot sweep: timers fire before all of them are set");
    await close(cache);
    return await sweepOne(share, patience * 2);
  }
  if (sweeping === "worker") findWorkers();
  pieces.main = pieces.total = pieces.longest = 0;
  const probe = startProbe();
  const start = now();
  await sweep(cache, () => hasRemoved(cache, entries, expired), probe);
  const stall = probe.stop();
  const removed = cache.removed?.() ?? entries - cache.size();
  if (Math.abs(removed - expired) > (cache.lost?.() ?? 0)) {
    throw new Error(`Cannot sweep: removed ${removed} instead of ${expired}`);
  }
  const wall = now() - start;
  await close(cache);
  const { main, total, longest } = pieces;
  return { main, total, wall, stall, ...longest > 0 && { slice: longest }, removed };
}

/** Lets time go on until entries expire, and has them removed. */
async function sweep(
  cache: Cache,
  isDone: () => boolean,
  probe?: Probe,
): Promise<void> {
  if (sweeping !== "timers") leap(short + 1_000);
  if (sweeping === "called") return timed(() => void cache.sweep!());
  if (sweeping === "itself") {
    releaseTimers();
    while (!isDone()) await delay(1);
    holdTimers();
    return;
  }
  if (sweeping === "worker") {
    const before = cpu();
    await cache.sweep!();
    const { main } = cpu();
    // The worker has a little to do after it has told of its end.
    await delay(3);
    pieces.main += main - before.main;
    pieces.total += main - before.main + cpu().workers - before.workers;
    return;
  }
  const all = cache.size();
  const look = () => ({ main: threadTime() - (probe?.cost ?? 0), time: now() });
  let before = look();
  while (!isDone()) {
    await delay(POLL);
    // Until the first of them fires, nothing but waiting has been done.
    if (cache.size() === all) before = look();
  }
  const after = look();
  const idle = idleRate * (after.time - before.time);
  // Less than this cannot be told from waiting.
  const used = Math.max(0.01, after.main - before.main - idle);
  pieces.main += used;
  pieces.total += used;
}

/** What it costs to look for the end of a sweep while nothing is swept. */
async function measureIdle(): Promise<number> {
  gc();
  await delay(20);
  const probe = startProbe();
  const start = now();
  const before = threadTime();
  for (let count = 0; count < 30; count++) await delay(POLL);
  const used = threadTime() - before - probe.cost;
  probe.stop();
  return used / (now() - start);
}

function fillAll(cache: Cache, ttlOf: (id: number) => number): void {
  const start = now();
  fills.push(fill(cache, entries, ttlOf));
  slowest = Math.max(slowest, (now() - start) / entries);
}

function hasRemoved(cache: Cache, entries: number, expired: number): boolean {
  return cache.size() <= entries - expired;
}

/** Timers that are set one after the other fire one after the other, and not before the last is set. */
function timersTime(count: number): number {
  return Math.ceil(100 + collection * 1.5 + slowest * count * 1.3);
}

async function close(cache: Cache): Promise<void> {
  await cache.close?.();
  forgetTimers();
}

function memory(): { heap: number; memory: number; rss: number } {
  // The first one leaves buffers to be freed.
  gc();
  gc();
  const { heapUsed, external, rss } = Deno.memoryUsage();
  return { heap: heapUsed, memory: heapUsed + external, rss };
}

/** There with `--expose-gc`. */
declare function gc(): void;
