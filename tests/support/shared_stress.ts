import { assert, assertEquals } from "@std/assert";
import type { SharedCache } from "../../src/cache/shared_cache.ts";
import { WorkerPool } from "../../src/pool/worker_pool.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { hammer, type HammerInput, KEYS } from "../fixtures/shared_hammer.ts";
import { fixture } from "./fixture.ts";
import { TestSharedCache } from "./shared_cache.ts";

/** Threads, beside the one of the test, which takes part as well. */
const HAMMERS = 2;

/** What came of a stress. */
export interface StressResult {
  readonly kills: number;
  readonly wrong: number;
  readonly turns: number;
  readonly hits: number;
}

/**
 * Lets threads hammer a shared cache, kills one of them after the other wherever it is, and starts
 * another in its place. Throws when those that live do not go on, or memory does not come back.
 *
 * @param goesOn Asked after each kill.
 */
export async function stressSharedCache(
  goesOn: (kills: number) => boolean,
): Promise<StressResult> {
  await using test = new TestSharedCache({ maxBytes: 192 * 1024, segmentBytes: 4_096, ttl: 1_000 });
  const { cache, clock, owner } = test;
  const shared = {
    versions: new SharedArrayBuffer((HAMMERS + 1) * KEYS * 4),
    control: new SharedArrayBuffer((2 + HAMMERS) * 4),
  };
  const control = new Int32Array(shared.control);
  await using pool = new WorkerPool<typeof import("../fixtures/shared_hammer.ts")>(
    fixture("shared_hammer"),
    { signal: owner.signal, isolation: "thread", size: { max: HAMMERS }, gracePeriod: 0 },
  );
  const start = (me: number) => {
    const abort = new AbortController();
    const input: HammerInput = { handle: cache.handle, me, ...shared };
    const ended = pool.run(input, { signal: abort.signal, gracePeriod: 0 })
      .catch((error) => {
        if (!abort.signal.aborted) throw error;
      });
    // Whoever awaits it hears of it; a stress that has failed already must not fail twice.
    ended.catch(() => {});
    return { abort, ended };
  };
  const runs = Array.from({ length: HAMMERS }, (_, me) => start(me));
  const state = { seed: 1, seen: new Map<string, number>() };
  const mine: HammerInput = { handle: cache.handle, me: HAMMERS, ...shared };
  /** Until a hammer has done so many rounds more; time goes on meanwhile, by little steps. */
  const progress = async (me: number, rounds: number): Promise<void> => {
    const goal = control[2 + me]! + rounds;
    await eventually(() => {
      clock.advance(7);
      Atomics.add(control, 1, hammer(cache, mine, state, 300));
      assert(control[2 + me]! >= goal, `hammer ${me} does not go on`);
    }, { timeout: 60_000, interval: 1 });
  };
  let kills = 0;
  while (goesOn(kills)) {
    const victim = kills % HAMMERS;
    for (let me = 0; me < HAMMERS; me++) await progress(me, 2);
    runs[victim]!.abort.abort(new Error("killed"));
    await runs[victim]!.ended;
    kills++;
    for (let me = 0; me < HAMMERS; me++) if (me !== victim) await progress(me, 2);
    runs[victim] = start(victim);
  }
  for (let me = 0; me < HAMMERS; me++) await progress(me, 1);
  control[0] = 1;
  await Promise.all(runs.map(({ ended }) => ended));
  const { hits } = cache.stats();
  checkThatMemoryComesBack(cache, () => clock.advance(61_000));
  return { kills, wrong: control[1]!, turns: control[2]! + control[3]!, hits };
}

function checkThatMemoryComesBack(cache: SharedCache<string>, wait: () => void): void {
  cache.clear();
  assertEquals(cache.size, 0);
  for (let i = 0; i < 10; i++) {
    cache.sweep();
    wait();
  }
  cache.sweep();
  const { segments, bytes } = cache.stats();
  assertEquals([segments.open, segments.sealed, bytes.live, bytes.dead], [0, 0, 0, 0]);
  cache.set("after", "all");
  assertEquals([cache.get("after"), cache.size], ["all", 1]);
}
