/**
 * One contestant of the bench of SharedCache, in a process of its own. Prints one line of JSON.
 *
 * @module
 */

import process from "node:process";
import { LRUCache } from "npm:lru-cache@11";
import { SharedCache } from "../src/cache/shared_cache.ts";

/**
 * What one process measured. Times in nanoseconds unless said; those of writes, reads and sweeps are
 * processor time of the process, that of V8's own threads included: machines are shared.
 */
export interface SharedSample {
  readonly set: number;
  readonly get: number;
  /** Bytes of the process for each entry. */
  readonly rss: number;
  /** A major garbage collection with everything alive, and before there was anything, in milliseconds. */
  readonly gc: number;
  readonly idleGc: number;
  /** A sweep of everything with half expired, in milliseconds. */
  readonly sweep: number;
  /** How many entries it removed. */
  readonly removed: number;
  /** The longest time for which the event loop did not turn: by itself, and during sweeps elsewhere. */
  readonly idleGap?: number;
  readonly sweepGap?: number;
  /** A lookup in another worker, and a question to this thread from there: 100,000 entries. */
  readonly otherGet?: number;
  readonly message?: number;
}

/** What all contestants can do. */
interface Subject {
  set(key: string, value: string, ttl: number): void;
  get(key: string): string | undefined;
  sweep(): number;
}

const SUBJECTS = {
  leash(entries: number): Subject {
    const cache = makeCache(entries);
    return {
      set: (key, value, ttl) => cache.set(key, value, { ttl }),
      get: (key) => cache.get(key),
      sweep: () => cache.sweep(),
    };
  },
  "lru-cache"(entries: number): Subject {
    const cache = new LRUCache<string, string>({ max: entries * 2, ttl: 1e6 });
    return {
      set: (key, value, ttl) => void cache.set(key, value, { ttl }),
      get: (key) => cache.get(key),
      sweep: () => {
        const before = cache.size;
        cache.purgeStale();
        return before - cache.size;
      },
    };
  },
  map(): Subject {
    const map = new Map<string, { value: string; end: number }>();
    return {
      set: (key, value, ttl) => void map.set(key, { value, end: Date.now() + ttl }),
      get(key) {
        const entry = map.get(key);
        return entry !== undefined && entry.end > Date.now() ? entry.value : undefined;
      },
      sweep() {
        const [now, before] = [Date.now(), map.size];
        for (const [key, { end }] of map) if (end <= now) map.delete(key);
        return before - map.size;
      },
    };
  },
};

/** Who can be measured. */
export type SharedContestant = keyof typeof SUBJECTS;

function makeCache(entries: number, sweepInterval = Infinity): SharedCache<string> {
  return new SharedCache<string>({
    signal: new AbortController().signal,
    maxBytes: Math.max(2 ** 20, Math.ceil(entries * 136 / 4096) * 4096),
    entryBytes: 43,
    ttl: Infinity,
    codec: "string",
    sweepInterval,
  });
}

const keyOf = (n: number): string => `k${String(n).padStart(12, "0")}`;
const valueOf = (n: number): string => `v${String(n).padStart(29, "0")}`;
const gc = (globalThis as unknown as { gc(): void }).gc;

/** Processor time so far, in milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The median of some collections, in milliseconds. */
function collect(): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    gc();
    return performance.now() - start;
  });
  return times.toSorted((a, b) => a - b)[2]!;
}

async function measure(name: SharedContestant, entries: number): Promise<SharedSample> {
  const idleGc = collect();
  // Compiled before it is measured, with a subject of the same kind.
  const warm = SUBJECTS[name](20_000);
  for (let i = 0; i < 60_000; i++) {
    warm.set(keyOf(i % 20_000), valueOf(i), 1e6);
    warm.get(keyOf(i % 20_000));
  }
  for (let i = 0; i < 50; i++) warm.sweep();
  const short = 2_000 + entries / 125;
  gc();
  const before = Deno.memoryUsage().rss;
  const subject = SUBJECTS[name](entries);
  let start = cpu();
  for (let i = 0; i < entries; i++) subject.set(keyOf(i), valueOf(i), i % 2 ? 1e6 : short);
  const set = (cpu() - start) * 1e6 / entries;
  const end = performance.now() + short + 100;
  gc();
  const rss = (Deno.memoryUsage().rss - before) / entries;
  const gcTime = collect();
  const keys = Array.from(
    { length: 100_000 },
    () => keyOf(Math.floor(Math.random() * entries / 2) * 2 + 1),
  );
  let hits = 0;
  start = cpu();
  for (let round = 0; round < 3; round++) {
    for (const key of keys) if (subject.get(key) !== undefined) hits++;
  }
  const get = (cpu() - start) * 1e6 / 300_000;
  if (hits < 295_000) throw new Error(`Only ${hits} of 300000 lookups found their entry`);
  await new Promise((resolve) => setTimeout(resolve, Math.max(1, end - performance.now())));
  start = cpu();
  const removed = subject.sweep();
  const sweep = cpu() - start;
  const sample = { set, get, rss, gc: gcTime, idleGc, sweep, removed };
  return name === "leash" ? { ...sample, ...await withWorkers() } : sample;
}

/** What only a cache that is shared can do. */
async function withWorkers(): Promise<Partial<SharedSample>> {
  const cache = makeCache(100_000);
  const keys = Array.from({ length: 100_000 }, (_, n) => keyOf(n * 61 % 100_000));
  for (const [n, key] of keys.entries()) cache.set(key, valueOf(n));
  const worker = new Worker(new URL("./_shared_reader.ts", import.meta.url), { type: "module" });
  const map = new Map(keys.map((key) => [key, "v".repeat(30)]));
  const answer = new Promise<Partial<SharedSample>>((resolve) => {
    worker.onmessage = ({ data }) => {
      if (typeof data === "string") worker.postMessage(map.get(data));
      else resolve(data);
    };
  });
  worker.postMessage({ handle: cache.handle, keys });
  const read = await answer;
  worker.terminate();
  const idleGap = await longestGap();
  const swept = makeCache(1_000_000, 50);
  for (let i = 0; i < 200_000; i++) swept.set(keyOf(i), valueOf(i), { ttl: i % 2 ? 700 : 1e6 });
  // Its worker is there before it is looked at.
  while (swept.stats.sweeps === 0) await longestGap(50);
  const sweepGap = await longestGap();
  await swept.close();
  return { ...read, idleGap, sweepGap };
}

function longestGap(duration = 1_000): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const start = performance.now();
  let [last, longest] = [start, 0];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (now - start < duration) return;
    clearInterval(timer);
    resolve(longest);
  }, 1);
  return promise;
}

if (import.meta.main) {
  const [name, entries] = Deno.args;
  console.log(JSON.stringify(await measure(name as SharedContestant, Number(entries))));
  Deno.exit(0);
}
