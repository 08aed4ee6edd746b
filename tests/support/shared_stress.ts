import { assert, assertEquals } from "@std/assert";
import { BUCKET_WORDS, META, WAYS } from "../../src/cache/_shared_layout.ts";
import { openStore } from "../../src/cache/_shared_memory.ts";
import { FREE, OPEN, SEALED, STATE_MASK } from "../../src/cache/_shared_state.ts";
import type { SharedCache } from "../../src/cache/shared_cache.ts";
import { WorkerPool } from "../../src/pool/worker_pool.ts";
import { eventually } from "../../src/testing/eventually.ts";
import {
  hammer,
  type HammerInput,
  type HammerState,
  KEYS,
  newState,
} from "../fixtures/shared_hammer.ts";
import { fixture } from "./fixture.ts";
import { TestSharedCache } from "./shared_cache.ts";

/** Threads that read and write, beside the one of the test, which takes part as well. */
const HAMMERS = 2;
/** The place of the one that only sweeps. */
const SWEEPER = HAMMERS + 1;

/** What came of a stress. */
export interface StressResult {
  /** Threads that were killed. */
  readonly kills: number;
  /** Values that were torn, of another key, or older than they may be. */
  readonly wrong: number;
  readonly operations: number;
  readonly hits: number;
  readonly evictions: number;
}

/** What is stressed, and for how long. */
export interface StressOptions {
  /** Who is killed: each thread in its turn, or the sweeper alone. */
  victims: "all" | "sweeper";
  /** Real time between two kills, in milliseconds, beside what the threads need to go on. */
  pause?: number;
  /** Asked after each kill. */
  goesOn(result: StressResult): boolean;
}

/**
 * Lets threads hammer a shared cache that is much too small, and a sweeper sweep it; kills one of them
 * after the other wherever it is, and starts another in its place. Throws when those that live do not go
 * on, or memory does not come back.
 */
export async function stressSharedCache(
  { victims, pause = 0, goesOn }: StressOptions,
): Promise<StressResult> {
  await using stress = new Stress();
  const threads = [0, 1, SWEEPER];
  for (const me of threads) stress.start(me);
  for (const me of threads) await stress.progress(me, 2);
  while (goesOn(stress.result)) {
    const { kills } = stress.result;
    const victim = victims === "sweeper" ? SWEEPER : threads[kills % threads.length]!;
    await stress.hammerFor(pause);
    await stress.kill(victim);
    for (const me of threads) if (me !== victim) await stress.progress(me, 2);
    await stress.answers();
    stress.start(victim);
    await stress.progress(victim, 2);
  }
  await stress.stop();
  stress.checkMemory();
  return stress.result;
}

class Stress implements AsyncDisposable {
  readonly #test = new TestSharedCache({
    maxBytes: 128 * 1024,
    segmentBytes: 4_096,
    ttl: 1_000,
  });
  readonly #shared = {
    versions: new SharedArrayBuffer((HAMMERS + 1) * KEYS * 4),
    control: new SharedArrayBuffer((2 + SWEEPER + 1) * 4),
  };
  readonly #control = new Int32Array(this.#shared.control);
  readonly #hammers = this.#pool<typeof import("../fixtures/shared_hammer.ts")>("shared_hammer");
  readonly #sweepers = this.#pool<typeof import("../fixtures/shared_sweeps.ts")>("shared_sweeps");
  readonly #runs = new Map<number, { abort: AbortController; ended: Promise<unknown> }>();
  readonly #state: HammerState = newState(1);
  #kills = 0;

  #pool<Task>(name: string): WorkerPool<Task> {
    return new WorkerPool<Task>(fixture(name), {
      signal: this.#test.owner.signal,
      isolation: "thread",
      size: { max: HAMMERS },
      gracePeriod: 0,
    });
  }

  get #cache(): SharedCache<string> {
    return this.#test.cache;
  }

  #input(me: number): HammerInput {
    return { handle: this.#cache.handle, me, ...this.#shared };
  }

  get result(): StressResult {
    const { hits, evictions } = this.#cache.stats;
    // A hammer does 200 things in a round.
    const operations = this.#control.subarray(2, 2 + HAMMERS).reduce((a, b) => a + b, 0) * 200;
    return { kills: this.#kills, wrong: this.#control[1]!, operations, hits, evictions };
  }

  start(me: number): void {
    const abort = new AbortController();
    const options = { signal: abort.signal, gracePeriod: 0 };
    const pool = me === SWEEPER ? this.#sweepers : this.#hammers;
    const ended = pool.run(this.#input(me), options).catch((error: unknown) => {
      if (!abort.signal.aborted) throw error;
    });
    // Whoever awaits it hears of it; a stress that has failed already must not fail twice.
    ended.catch(() => {});
    this.#runs.set(me, { abort, ended });
  }

  async kill(me: number): Promise<void> {
    const { abort, ended } = this.#runs.get(me)!;
    abort.abort(new Error("killed"));
    await ended;
    this.#kills++;
    // What one held who died comes back after a minute. With no time between deaths, all would be held.
    this.#test.clock.advance(10_000);
  }

  /** Until entries are found. */
  async answers(): Promise<void> {
    const { hits } = this.result;
    await eventually(() => {
      this.#hammer();
      assert(this.result.hits > hits, "nothing is found any more");
    }, { timeout: 60_000, interval: 1 });
  }

  /** Takes part, and lets time go on by little steps. */
  #hammer(): void {
    this.#test.clock.advance(7);
    const wrong = hammer(this.#cache, this.#input(HAMMERS), this.#state, 300);
    Atomics.add(this.#control, 1, wrong);
  }

  /** Until a thread has done so many rounds more. */
  async progress(me: number, rounds: number): Promise<void> {
    const goal = this.#control[2 + me]! + rounds;
    await eventually(() => {
      this.#hammer();
      assert(this.#control[2 + me]! >= goal, `thread ${me} does not go on`);
    }, { timeout: 60_000, interval: 1 });
  }

  async hammerFor(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      this.#hammer();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async stop(): Promise<void> {
    Atomics.store(this.#control, 0, 1);
    Atomics.notify(this.#control, 0);
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  /** That all segments are there, that entries are counted, and that everything comes back. */
  checkMemory(): void {
    const cache = this.#cache;
    // By then, nobody takes those who were killed for living any more.
    for (let i = 0; i < 10; i++) {
      this.#test.clock.advance(10_000);
      cache.sweep();
    }
    const { memory, segments, index } = openStore(cache.handle);
    for (let segment = 0; segment < segments.count; segment++) {
      const state = memory.words[memory.header(segment) + META]! & STATE_MASK;
      assert([FREE, OPEN, SEALED].includes(state), `segment ${segment} is stuck in state ${state}`);
    }
    let records = 0;
    for (let bucket = 0; bucket < index.buckets; bucket++) {
      const first = memory.layout.index + bucket * BUCKET_WORDS;
      for (let slot = first; slot < first + WAYS; slot++) {
        const address = memory.words[slot]!;
        if (address !== 0 && index.ownMeta(slot, address) !== 0) records++;
      }
    }
    const off = Math.abs(cache.size - records);
    assert(off <= this.#kills, `${records} entries, ${cache.size} counted, ${this.#kills} kills`);
    cache.clear();
    cache.sweep();
    const stats = cache.stats;
    assertEquals(stats.segments, { free: segments.count, open: 0, sealed: 0 });
    assertEquals([stats.size, stats.bytes.live, stats.bytes.dead], [0, 0, 0]);
    cache.set("after", "all");
    assertEquals([cache.get("after"), cache.size], ["all", 1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#test[Symbol.asyncDispose]();
    await Promise.all([this.#hammers.close(), this.#sweepers.close()]);
  }
}
