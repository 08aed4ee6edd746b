/** What one job measured. */
export interface QueueSample {
  /** Nanoseconds for each key. */
  readonly ns: number;
  /** Nanoseconds for each key that this thread was on a core, where the system tells. */
  readonly cpu?: number;
  /** Bytes of heap for each key, where that is measured. */
  readonly bytes?: number;
  /** Timers that were armed at the end, where that is measured. */
  readonly timers?: number;
}

/** A job does its work once with so many keys. */
export type QueueJob = (count: number) => QueueSample | Promise<QueueSample>;

/** Keys as a program has them: strings that have been used as keys before, and no garbage behind them. */
export function makeKeys(count: number): string[] {
  const keys = Array.from({ length: count }, (_, index) => `key-${index}`);
  // A string works out its hash when it is first looked up, and keeps it.
  if (new Set(keys).size !== count) throw new Error("Cannot make the keys");
  heapUsed();
  return keys;
}

/** The time that something took for each key. */
export async function timed(count: number, run: () => unknown): Promise<QueueSample> {
  const cpu = onCore();
  const start = performance.now();
  await run();
  const ns = (performance.now() - start) * 1e6 / count;
  return cpu === undefined ? { ns } : { ns, cpu: (onCore()! - cpu) / count };
}

/** How long this thread was on a core so far, in nanoseconds: others share the machine. Linux only. */
function onCore(): number | undefined {
  try {
    return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ", 1)[0]);
  } catch {
    return undefined;
  }
}

/** Bytes on the heap, once everything that is garbage has gone. */
export function heapUsed(): number {
  // `--expose-gc`.
  (globalThis as unknown as { gc(): void }).gc();
  return Deno.memoryUsage().heapUsed;
}
