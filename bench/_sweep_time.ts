/**
 * The time of a child of the sweep bench: processor time by threads, and a clock that can leap, which
 * all contestants read. Import it before any contestant.
 *
 * @module
 */

import process from "node:process";

/** Real time in milliseconds. */
export const now: () => number = performance.now.bind(performance);
const { setTimeout, setImmediate, setInterval, clearInterval } = globalThis;

/** Processor time in milliseconds. */
export interface Cpu {
  /** Of this thread. */
  readonly main: number;
  /** Of the workers that were found. */
  readonly workers: number;
  /** Of the process, with the helpers of V8. */
  readonly process: number;
}

/** Linux's numbers of the clocks of a process and of a thread. */
const [PROCESS, THREAD] = [2, 3];
/** Those of the workers' threads. */
let workerClocks: number[] = [];

/** The processor time until now. Where threads cannot be told apart, all is this thread's. */
export const cpu: () => Cpu = Deno.build.os === "linux" ? threadTimes() : () => {
  const { user, system } = process.cpuUsage();
  const main = (user + system) / 1_000;
  return { main, workers: 0, process: main };
};

/** The tables that the system shows are as old as its last tick, so the clocks are asked themselves. */
function clockReader(): (clock: number) => number {
  const { symbols } = Deno.dlopen("libc.so.6", {
    clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
  });
  const time = new BigInt64Array(2);
  const bytes = new Uint8Array(time.buffer);
  const words = new Uint32Array(time.buffer);
  return (clock) =>
    symbols.clock_gettime(clock, bytes) === 0 ? words[0]! * 1e3 + words[2]! / 1e6 : 0;
}

function threadTimes(): () => Cpu {
  const read = clockReader();
  return () => {
    let workers = 0;
    for (const clock of workerClocks) workers += read(clock);
    return { main: read(THREAD), workers, process: read(PROCESS) };
  };
}

function ownTime(): () => number {
  const read = clockReader();
  return () => read(THREAD);
}

/** The processor time of this thread until now. */
export const threadTime: () => number = Deno.build.os === "linux" ? ownTime() : () => cpu().main;

/** Finds the threads of the workers that there are now. */
export function findWorkers(): void {
  if (Deno.build.os !== "linux") return;
  const isWorker = (thread: string) =>
    Deno.readTextFileSync(`/proc/self/task/${thread}/comm`).startsWith("worker-");
  workerClocks = [...Deno.readDirSync("/proc/self/task")]
    .filter(({ name }) => isWorker(name))
    // What Linux calls the clock of a thread.
    .map(({ name }) => ~Number(name) << 3 | 6);
}

/** The processor time of this thread for it, in milliseconds. */
export function busy(run: () => void): number {
  const before = threadTime();
  run();
  return threadTime() - before;
}

/**
 * For how long it held up this thread, in milliseconds. While others have the processor does not
 * count, but waiting for the helpers of V8 does.
 */
export function held(run: () => void): number {
  const look = stopwatch();
  run();
  return look();
}

function stopwatch(): () => number {
  const before = cpu();
  const start = now();
  return () => {
    const took = now() - start;
    const after = cpu();
    return Math.min(took, after.process - before.process - (after.workers - before.workers));
  };
}

let ahead = 0;

/** All contestants read the same two clocks, which are ahead of the real time by what has leapt. */
export function fakeClocks(): void {
  const date = Date.now;
  Date.now = () => date() + ahead;
  performance.now = () => now() + ahead;
}

/** Lets time go on, in milliseconds. */
export function leap(by: number): void {
  ahead += by;
}

/** What the turns of the event loop took that belong to a sweep: this thread's, all, the longest. */
export const pieces = { main: 0, total: 0, longest: 0 };

/** Counts something as a piece of a sweep. */
export function timed(run: () => void): void {
  const time = busy(run);
  pieces.main += time;
  pieces.total += time;
  pieces.longest = Math.max(pieces.longest, time);
}

let isHeld = true;
let waiting: (() => void)[] = [];

/** For a cache that sweeps by itself: its timers fire only when a sweep is measured, and are counted. */
export function watchTimers(): void {
  const watched = (run: () => void) => () => isHeld ? void waiting.push(run) : timed(run);
  globalThis.setTimeout = Object.assign(
    (run: () => void, delay?: number) => setTimeout(watched(run), delay),
    setTimeout,
  ) as typeof setTimeout;
  globalThis.setImmediate =
    ((run: () => void) => setImmediate(() => timed(run))) as typeof setImmediate;
}

/** Lets timers fire that were due. */
export function releaseTimers(): void {
  isHeld = false;
  for (const run of waiting.splice(0)) setTimeout(() => timed(run), 0);
}

/** Keeps timers from firing. */
export function holdTimers(): void {
  isHeld = true;
}

/** Forgets those that are kept: their cache is no more. */
export function forgetTimers(): void {
  waiting = [];
}

/** Resolves after that many milliseconds. */
export function delay(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time));
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Watches for how long the event loop does not turn. */
export interface Probe {
  /** Processor time of this thread that the watching itself takes. */
  readonly cost: number;
  /** Ends it, and returns the longest time in milliseconds for which this thread was held up. */
  stop(): number;
}

/** Looks once each millisecond. Waiting for the next look does not count. */
export function startProbe(): Probe {
  let longest = 0;
  let cost = 0;
  let elapsed = stopwatch();
  const look = () => {
    const before = threadTime();
    longest = Math.max(longest, elapsed());
    elapsed = stopwatch();
    cost += threadTime() - before;
  };
  const timer = setInterval(look, 1);
  return {
    get cost() {
      return cost;
    },
    stop() {
      look();
      clearInterval(timer);
      return longest;
    },
  };
}
