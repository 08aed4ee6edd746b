import type { Cache } from "./_sweep_contestant.ts";
import type { Quantiles, Reads } from "./_sweep_sample.ts";
import { checkHits } from "./_sweep_fill.ts";
import { nextTurn, threadTime } from "./_sweep_time.ts";

/** Milliseconds between two reads. */
const PERIOD = 0.05;
const MOST_READS = 1_000_000;

/** What goes on beside the reads of a cycle. */
export interface Cycle {
  /** Not measured. */
  prepare(): void;
  sweep(): Promise<void>;
}

/**
 * Reads at times that are fixed beforehand, as requests come: what holds up the thread also holds up
 * all reads that come meanwhile. A loop that reads as fast as it can would count that once. The clock
 * is the processor time of this thread, which never rests here: what else the machine does is not seen.
 */
export async function measureReads(
  cache: Cache,
  keys: string[],
  { cycles, window }: { cycles: number; window: number },
  cycle?: Cycle,
): Promise<Reads> {
  const alone = new Float64Array(MOST_READS);
  const waited = new Float64Array(MOST_READS);
  let reads = 0;
  let misses = 0;
  for (let count = 0; count < cycles; count++) {
    cycle?.prepare();
    // What the garbage collector owes by now is not the reads' doing.
    gc();
    await nextTurn();
    let isSweeping = cycle !== undefined;
    const swept = cycle && nextTurn().then(() => cycle.sweep()).then(() => isSweeping = false);
    let due = threadTime();
    const end = due + window;
    while (due < end || isSweeping) {
      while (due <= threadTime() && reads < MOST_READS) {
        const key = keys[reads % keys.length]!;
        const begin = threadTime();
        const value = cache.get(key);
        const time = threadTime();
        if (value === undefined) misses++;
        alone[reads] = time - begin;
        waited[reads++] = time - due;
        due += PERIOD;
      }
      await nextTurn();
    }
    await swept;
  }
  checkHits(cache, reads - misses, reads);
  return { alone: quantiles(alone, reads), waited: quantiles(waited, reads) };
}

function quantiles(times: Float64Array, count: number): Quantiles {
  const sorted = times.slice(0, count).sort();
  const at = (share: number) => sorted[Math.floor((count - 1) * share)]! * 1_000;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999) };
}

/** There with `--expose-gc`. */
declare function gc(): void;
