import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { TtlCache } from "../../src/cache/mod.ts";
import { eventually, FakeClock, LeakError, leakGuard } from "../../src/testing/mod.ts";
import { TestCache } from "./_ttl_caches.ts";

/** A clock on which each look takes 0.1 milliseconds. */
class TickingClock extends FakeClock {
  #looks = 0;
  override monotonic(): number {
    return super.monotonic() + this.#looks++ * 0.1;
  }
}

Deno.test("the sweep removes what has expired, also when it comes late or was skipped", async (t) => {
  await using _guard = leakGuard(t);
  await using cache = new TestCache({ sweepInterval: 100 });
  for (let key = 0; key < 100; key++) cache.set(`${key}`, key, { ttl: key + 1 });
  cache.time.advance(100);
  assertEquals([cache.sizeWithExpired, cache.removed.length], [1, 99]);
  for (let key = 0; key < 50; key++) cache.set(`${key}`, key, { ttl: key + 1 });
  // A thread that is blocked for ten intervals sweeps once, and finds all of it.
  cache.time.stall(1_000);
  assertEquals([cache.sizeWithExpired, cache.removed.length], [0, 150]);
});

Deno.test("a sweep that finds all expired removes all, and not those that live on", async (t) => {
  await using _guard = leakGuard(t);
  for (const rest of [[], [["ever", 0, Infinity]], [["late", 0, 101]]] as const) {
    await using cache = new TestCache({ sweepInterval: 100, onRemove: undefined! });
    for (let key = 0; key < 50; key++) cache.set(`${key}`, key, { ttl: 10 });
    cache.delete("7");
    for (const [key, value, ttl] of rest) cache.set(key, value, { ttl });
    cache.time.advance(100);
    assertEquals([...cache.keys()], rest.map(([key]) => key));
    assertEquals([cache.sizeWithExpired, cache.stats.removals.expired], [rest.length, 49]);
    cache.set("new", 1, { ttl: 200 });
    assertEquals(cache.get("new"), 1);
  }
});

/** A cache whose sweep takes more than one look at the clock, which goes on by itself meanwhile. */
function cacheOfManySlices() {
  const clock = new TickingClock();
  const cache = new TtlCache<number, number>({
    signal: new AbortController().signal,
    ttl: 1_000,
    sweepInterval: 10_000,
    sweepBudget: 0.1,
    clock,
  });
  for (let key = 0; key < 40_000; key++) cache.set(key, key);
  return Object.assign(cache, { clock });
}

Deno.test("what is set or deleted while a sweep finds out whether any entry stays is kept, or gone", async (t) => {
  await using _guard = leakGuard(t);
  for (const change of ["set", "set for ever", "delete", "nothing"]) {
    await using cache = cacheOfManySlices();
    cache.clock.advance(10_000);
    assertEquals(cache.sizeWithExpired, 40_000, "the first slice is over, the sweep is not");
    if (change === "set") cache.set(7, 1, { ttl: 1e9 });
    if (change === "set for ever") cache.set(7, 1, { ttl: Infinity });
    if (change === "delete") cache.delete(7);
    while (cache.sizeWithExpired > 1) await new Promise((resolve) => setImmediate(resolve));
    assertEquals([...cache], change.startsWith("set") ? [[7, 1]] : []);
    assertEquals(cache.stats.removals.expired, 40_000);
  }
});

Deno.test("a read or delete of an expired entry in the midst of a sweep costs no other entry its life", async (t) => {
  await using _guard = leakGuard(t);
  for (const change of ["get", "delete", "getOrLoad"] as const) {
    await using cache = cacheOfManySlices();
    cache.set(-1, 1, { ttl: Infinity });
    cache.clock.advance(10_000);
    assertEquals(cache.sizeWithExpired, 40_001, "the first slice is over, the sweep is not");
    if (change === "get") cache.get(7);
    if (change === "delete") cache.delete(7);
    // As many gone as there are entries that live for ever: the numbers alone would not tell.
    if (change === "getOrLoad") {
      await cache.getOrLoad(7, () => Promise.reject(new Error("no"))).catch(() => {});
    }
    while (cache.sizeWithExpired > 1) await new Promise((resolve) => setImmediate(resolve));
    assertEquals([...cache], [[-1, 1]]);
    assertEquals(cache.stats.removals.expired, 40_000);
  }
});

Deno.test("the interval follows from the ttl: a quarter of it, within a second and ten minutes", async (t) => {
  await using _guard = leakGuard(t);
  for (
    const [ttl, interval] of [[100, 1_000], [600_000, 150_000], [1e9, 600_000]] as const
  ) {
    await using cache = new TestCache({ ttl, sweepInterval: undefined! });
    cache.set("a", 1);
    const sweepAt = Math.ceil((ttl + 1) / interval) * interval;
    cache.time.advance(sweepAt - 1);
    assertEquals(cache.sizeWithExpired, 1);
    cache.time.advance(1);
    assertEquals(cache.sizeWithExpired, 0);
  }
});

Deno.test("entries that live more briefly than the cache's ttl are swept as often as they need", async (t) => {
  await using _guard = leakGuard(t);
  for (const ttl of [Infinity, 86_400_000]) {
    await using cache = new TestCache({ ttl, sweepInterval: undefined! });
    cache.set("long", 1);
    for (let second = 0; second < 100; second++) {
      for (let n = 0; n < 10; n++) cache.set(`${second}:${n}`, n, { ttl: 1_000 });
      cache.time.advance(1_000);
      assert(cache.sizeWithExpired <= 31, `${cache.sizeWithExpired} at ${second} s`);
      assert(cache.time.timers <= 1);
    }
    cache.time.advance(700_000);
    assertEquals([...cache.keys()], ["long"]);
    assertEquals(cache.sizeWithExpired, 1);
  }
});

Deno.test("a cache without entries that can expire has no timer", async (t) => {
  await using _guard = leakGuard(t);
  await using cache = new TestCache({ sweepInterval: 100 });
  assertEquals(cache.time.timers, 0);
  cache.set("a", 1).set("b", 2);
  assertEquals(cache.time.timers, 1);
  cache.time.advance(1_100);
  assertEquals(cache.time.timers, 0);
});

Deno.test("a ttl and an interval of 30 days work, and their timers do not fire at once", async (t) => {
  await using _guard = leakGuard(t);
  const owner = new AbortController();
  const days = { days: 30 };
  const cache = new TtlCache({ signal: owner.signal, ttl: days, sweepInterval: days });
  const delays: unknown[] = [];
  const { setTimeout } = globalThis;
  globalThis.setTimeout = ((callback: () => void, delay: number) => {
    delays.push(delay);
    return setTimeout(callback, delay);
  }) as typeof setTimeout;
  try {
    cache.set("a", 1);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assertEquals(delays, [2 ** 31 - 1]);
  assertEquals(cache.get("a"), 1);
  owner.abort();
  await cache.finished;
});

Deno.test("the sweep works in slices, between which the event loop has its turn", async (t) => {
  await using _guard = leakGuard(t);
  const clock = new TickingClock();
  let removed = 0;
  await using cache = new TtlCache<number, number>({
    signal: new AbortController().signal,
    ttl: 1_000,
    sweepInterval: 100_000,
    sweepBudget: 1,
    clock,
    onRemove: () => void removed++,
  });
  for (let key = 0; key < 35; key++) cache.set(key, key);
  clock.advance(100_000);
  const slices = [removed];
  while (removed < 35) {
    await new Promise((resolve) => setImmediate(resolve));
    if (removed > slices.at(-1)!) slices.push(removed);
  }
  assertEquals(slices, [10, 20, 30, 35]);
  assertEquals(cache.sizeWithExpired, 0);
});

Deno.test("clear() and set() between the slices of a sweep lose nothing and keep nothing", async (t) => {
  await using _guard = leakGuard(t);
  const clock = new TickingClock();
  await using cache = new TtlCache<number, number>({
    signal: new AbortController().signal,
    ttl: 1_000,
    sweepInterval: 10_000,
    clock,
    onRemove: () => {},
  });
  for (let key = 0; key < 100; key++) cache.set(key, key);
  clock.advance(10_000);
  assertEquals(cache.sizeWithExpired, 90);
  cache.clear();
  cache.set(1, 1).set(200, 200);
  await eventually(() => assertEquals(clock.timers, 1));
  assertEquals([...cache], [[1, 1], [200, 200]]);
  clock.advance(10_000);
  assertEquals(cache.sizeWithExpired, 0);
});

Deno.test("after its owner a cache can be used, expires lazily and has no timer", async (t) => {
  await using _guard = leakGuard(t);
  const cache = new TestCache({ sweepInterval: 10 });
  cache.set("a", 1).set("b", 2);
  cache.owner.abort();
  await cache.finished;
  assertEquals(cache.time.timers, 0);
  cache.set("c", 3, { ttl: 5_000 });
  cache.time.advance(1_001);
  assertEquals([cache.get("a"), cache.get("c"), cache.size], [undefined, 3, 1]);
  assertEquals([cache.sizeWithExpired, cache.time.timers], [2, 0]);
  await cache.close();
});

Deno.test("an owner that aborts in the midst of a sweep ends it", async (t) => {
  await using _guard = leakGuard(t);
  const clock = new TickingClock();
  const owner = new AbortController();
  let removed = 0;
  const cache = new TtlCache<number, number>({
    signal: owner.signal,
    ttl: 1_000,
    sweepInterval: 10_000,
    clock,
    onRemove: () => void removed++,
  });
  for (let key = 0; key < 100; key++) cache.set(key, key);
  clock.advance(10_000);
  owner.abort();
  await cache.finished;
  await new Promise((resolve) => setImmediate(resolve));
  assertEquals([removed, clock.timers, cache.sizeWithExpired], [10, 0, 90]);
});

Deno.test("a cache whose owner had aborted before works, and never has a timer", async (t) => {
  await using _guard = leakGuard(t);
  const cache = new TestCache({ signal: AbortSignal.abort(), sweepInterval: 10 });
  await cache.finished;
  cache.set("a", 1);
  assertEquals([cache.get("a"), cache.time.timers], [1, 0]);
});

Deno.test("100 caches under one signal stop together, with no timer left", async (t) => {
  await using _guard = leakGuard(t);
  const owner = new AbortController();
  const clock = new FakeClock();
  const caches = Array.from({ length: 100 }, () => {
    const cache = new TtlCache({ signal: owner.signal, ttl: 10, clock });
    return cache.set("a", 1);
  });
  assertEquals(clock.timers, 100);
  owner.abort();
  await Promise.all(caches.map(({ finished }) => finished));
  assertEquals(clock.timers, 0);
});

Deno.test("a leak check names a cache that nobody stopped", async (t) => {
  const owner = new AbortController();
  let cache!: TtlCache<string, number>;
  const error = await assertRejects(async () => {
    await using _guard = leakGuard(t, { wait: 0 });
    cache = new TtlCache({ signal: owner.signal, ttl: 1_000 });
  }, LeakError);
  assertStringIncludes(error.message, "cache");
  assertStringIncludes(error.message, "ttl_sweep_test.ts");
  await cache.close();
});

Deno.test("a million entries are swept by the real clock, and a full cache lets the process end", async () => {
  const program = `
    import { TtlCache } from ${JSON.stringify(import.meta.resolve("../../src/cache/mod.ts"))};
    const { signal } = new AbortController();
    const cache = new TtlCache({ signal, ttl: 300, sweepInterval: 1 });
    for (let key = 0; key < 1e6; key++) cache.set(key, key);
    while (cache.sizeWithExpired > 0) await new Promise((resolve) => setImmediate(resolve));
    cache.set("last", 1);
    console.log(cache.stats.removals.expired);`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", `data:text/javascript,${encodeURIComponent(program)}`],
    env: { NO_COLOR: "1" },
    stderr: "inherit",
  }).output();
  // It has ended, though nothing has aborted.
  assertEquals(new TextDecoder().decode(stdout).trim(), "1000000");
});

Deno.test("after the briefest entries, sweeps come as the next briefest ask for", async () => {
  await using cache = new TestCache({ ttl: 3_600_000, sweepInterval: undefined! });
  cache.set("brief", 1, { ttl: 10_000 });
  cache.set("less brief", 2, { ttl: 60_000 });
  for (let second = 0; second < 90; second++) cache.time.advance(1_000);
  assertEquals(cache.sizeWithExpired, 0);
});
