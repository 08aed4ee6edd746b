import { assert, assertEquals, assertRejects } from "@std/assert";
import { createStore } from "../../src/cache/_shared_memory.ts";
import { Buffer } from "node:buffer";
import { planLayout } from "../../src/cache/_shared_layout.ts";
import { type Lease, Leases } from "../../src/cache/_shared_leases.ts";
import { SharedLoader } from "../../src/cache/_shared_loader.ts";
import { SharedStore } from "../../src/cache/_shared_store.ts";
import { SharedCache } from "../../src/cache/shared_cache.ts";
import type { SharedLoadContext } from "../../src/cache/shared_cache_options.ts";
import { FakeClock, guardTests } from "../../src/testing/mod.ts";
import { TestSharedCache } from "../support/shared_cache.ts";
import { atStep } from "../support/shared_steps.ts";

guardTests();

Deno.test("getOrLoad() loads a key once, however many ask for it", async () => {
  await using test = new TestSharedCache();
  let loads = 0;
  const { promise, resolve } = Promise.withResolvers<string>();
  const load = () => (loads++, promise);
  const all = Promise.all([1, 2, 3].map(() => test.cache.getOrLoad("k", load, { ttl: 100 })));
  resolve("v");
  assertEquals([await all, loads], [["v", "v", "v"], 1]);
  assertEquals(await test.cache.getOrLoad("k", load), "v");
  test.clock.advance(200);
  assertEquals(await test.cache.getOrLoad("k", () => "w"), "w");
});

Deno.test("a load that fails rejects those who wait for it, and the next one loads again", async () => {
  await using test = new TestSharedCache();
  const fail = () => Promise.reject(new Error("no luck"));
  const both = [1, 2].map(() => test.cache.getOrLoad("k", fail));
  for (const one of both) await assertRejects(() => one, Error, "no luck");
  assertEquals(await test.cache.getOrLoad("k", () => "v"), "v");
});

Deno.test("one who asks may go; the load goes on for the others, until the cache closes", async () => {
  const test = new TestSharedCache();
  const { cache } = test;
  const caller = new AbortController();
  let closing: AbortSignal | undefined;
  const { promise, resolve } = Promise.withResolvers<string>();
  const load = (_key: string, { signal }: SharedLoadContext) => (closing = signal, promise);
  const gone = cache.getOrLoad("k", load, { signal: caller.signal });
  const stays = cache.getOrLoad("k", load);
  caller.abort(new Error("bye"));
  await assertRejects(() => gone, Error, "bye");
  resolve("v");
  assertEquals(await stays, "v");
  const late = cache.getOrLoad("l", () => new Promise<string>(() => {}));
  test.owner.abort(new Error("over"));
  await assertRejects(() => late, Error, "over");
  assertEquals(closing?.aborted, true);
  await cache.finished;
});

Deno.test("getOrLoad() refuses leases that make no sense", async () => {
  await using test = new TestSharedCache();
  const load = (lease: number) => test.cache.getOrLoad("k", () => "v", { lease });
  await assertRejects(() => load(0), RangeError, "lease");
  await assertRejects(() => load(3_600_000), RangeError, "a lease of at most 1800000 ms");
});

/** Two threads of one cache, as far as loading goes. */
function twoLoaders(signal: AbortSignal) {
  const clock = new FakeClock();
  const layout = planLayout(2 ** 18, 64);
  const first = createStore(layout, { codec: "bytes", ttl: 60_000 }, clock);
  const stores = [first, new SharedStore(first.memory.buffer, layout, clock)];
  const ask = stores.map((store) => {
    const loader = new SharedLoader(store, clock, signal);
    return (load: () => Promise<number>, lease?: number) =>
      loader.load<number>({
        key: "k",
        lease,
        signal: undefined,
        get: () => (store.seek("k"), store.get() ? store.found[0] : undefined),
        has: () => (store.seek("k"), store.has()),
        load,
        set: (value, lease, isNewest) => {
          if (!isNewest()) return;
          store.seek("k");
          store.set(new Uint8Array([value]), 1, 0, 60_000, lease);
        },
      });
  });
  return { clock, ask, stores };
}

/** Makes a cache that scatters its keys as any other one with the same secret. */
function withSecret<Made>(secret: number[], make: () => Made): Made {
  const { getRandomValues } = crypto;
  crypto.getRandomValues = (array) => {
    (array as unknown as Int32Array).set(secret);
    return array;
  };
  try {
    return make();
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
}

/** Lets promises go on that wait for nothing. */
const turn = (): Promise<void> => new Promise((resolve) => queueMicrotask(resolve));

Deno.test("in another thread, one waits for the value, or for the loader to fail", async () => {
  const owner = new AbortController();
  const { clock, ask: [first, second] } = twoLoaders(owner.signal);
  let loads = 0;
  const loading = Promise.withResolvers<number>();
  const one = first!(() => (loads++, loading.promise));
  const two = second!(() => (loads++, Promise.resolve(9)));
  for (let i = 0; i < 20; i++) {
    clock.advance(20);
    await turn();
  }
  assertEquals(loads, 1);
  loading.reject(new Error("no luck"));
  await assertRejects(() => one, Error, "no luck");
  while (loads < 2) {
    clock.advance(20);
    await turn();
  }
  assertEquals(await two, 9);
  assertEquals(await first!(() => Promise.reject(new Error("not needed"))), 9);
});

Deno.test("a loader that dies blocks the others for as long as its lease, and no longer", async () => {
  const owner = new AbortController();
  const { clock, ask: [first, second] } = twoLoaders(owner.signal);
  let loads = 0;
  const dead = first!(() => new Promise(() => {}), 5_000);
  const alive = second!(() => (loads++, Promise.resolve(7)));
  let waited = 0;
  while (loads === 0) {
    clock.advance(16);
    waited += 16;
    await turn();
  }
  assertEquals(await alive, 7);
  assert(waited >= 5_000 && waited < 5_500, `${waited} ms`);
  owner.abort(new Error("over"));
  await assertRejects(() => dead, Error, "over");
});

Deno.test("nobody waits longer than for a lease of its own", async () => {
  const owner = new AbortController();
  const { clock, ask: [first, second] } = twoLoaders(owner.signal);
  const dead = first!(() => new Promise(() => {}), 1_800_000);
  let loads = 0;
  const alive = second!(() => (loads++, Promise.resolve(7)), 1_000);
  let waited = 0;
  while (loads === 0 && waited < 10_000) {
    clock.advance(16);
    waited += 16;
    await turn();
  }
  assert(waited >= 1_000 && waited < 1_200, `${waited} ms`);
  assertEquals(await alive, 7);
  owner.abort(new Error("over"));
  await assertRejects(() => dead, Error, "over");
});

Deno.test("what is set or deleted during a load, in any thread, is newer than its result", async () => {
  const owner = new AbortController();
  const { clock, ask: [first, second], stores: [, other] } = twoLoaders(owner.signal);
  const read = () => (other!.seek("k"), other!.get() ? other!.found[0] : undefined);
  for (const change of ["set", "delete", "clear"]) {
    const loading = Promise.withResolvers<number>();
    const old = first!(() => loading.promise);
    await turn();
    other!.seek("k");
    if (change === "set") other!.set(new Uint8Array([2]), 1, 0, 60_000);
    else if (change === "delete") other!.delete();
    else other!.clear();
    // In the same 64 ms, so that its lease looks the same.
    const next = Promise.withResolvers<number>();
    const fresh = change === "set"
      ? undefined
      : [first!, second!].map((ask) => ask(() => next.promise));
    await turn();
    loading.resolve(1);
    assertEquals(await old, 1, "who asked before gets it");
    assertEquals(read(), change === "set" ? 2 : undefined, `a ${change} is newer than the load`);
    next.resolve(3);
    while (fresh !== undefined && read() === undefined) {
      clock.advance(20);
      await turn();
    }
    clock.advance(20);
    for (const one of fresh ?? []) assertEquals(await one, 3);
    other!.clear();
  }
});

Deno.test("many loads at once keep all they load", async () => {
  await using test = new TestSharedCache({ maxBytes: 2 ** 20, ttl: Infinity });
  const keys = Array.from({ length: 500 }, (_, i) => `${i}`);
  let loading = keys.length;
  const all = Promise.all(
    keys.map((key) =>
      test.cache.getOrLoad(key, async () => (await turn(), key)).finally(() => loading--)
    ),
  );
  // Two keys whose leases look the same, which there may be, wait for each other.
  while (loading > 0) {
    await turn();
    test.clock.advance(16);
  }
  await all;
  assertEquals(keys.filter((key) => test.cache.get(key) !== key), []);
});

Deno.test("a key of bytes may change while it is loaded", async () => {
  await using test = new TestSharedCache();
  for (const key of [new Uint8Array([1]), Buffer.from([1])]) {
    let given = key;
    const loading = test.cache.getOrLoad(key, async (own) => {
      given = own;
      await turn();
      return "one";
    });
    key[0] = 2;
    await loading;
    assertEquals([...given], [1]);
    assertEquals(test.cache.get(new Uint8Array([1])), "one");
    assertEquals(test.cache.get(new Uint8Array([2])), undefined);
    test.cache.clear();
  }
});

Deno.test("getOrLoad() loads nothing with a ttl that makes no sense", async () => {
  await using test = new TestSharedCache();
  let loads = 0;
  const load = () => `${loads++}`;
  await assertRejects(() => test.cache.getOrLoad("k", load, { ttl: 0 }), RangeError, "as ttl");
  assertEquals(loads, 0);
});

Deno.test("of two who find different places for a lease at the same time, one gets it", () => {
  for (let step = 0;; step++) {
    const clock = new FakeClock();
    const { memory, time } = createStore(
      planLayout(2 ** 18, 64),
      { codec: "bytes", ttl: 1 },
      clock,
    );
    const [one, two] = [new Leases(memory, time), new Leases(memory, time)];
    // Another key, whose place comes before theirs.
    const other = two.take(0x1_0007, 60_000) as Lease;
    const leases: (Lease | undefined | 0)[] = [];
    const met = atStep(step, () => leases.push(one.take(0x2_0007, 60_000)), () => {
      two.give(other);
      leases.push(two.take(0x2_0007, 60_000));
    });
    if (!met) break;
    assertEquals(leases.length, 2);
    assertEquals(leases.filter((lease) => lease !== undefined && lease !== 0).length, 1);
  }
});

Deno.test("a value that comes after the cache has closed is not stored", async () => {
  await using test = new TestSharedCache();
  const owner = new AbortController();
  const same = SharedCache.attach<string>(test.cache.handle, { signal: owner.signal });
  const { promise, resolve } = Promise.withResolvers<string>();
  const late = same.getOrLoad("k", () => promise);
  owner.abort(new Error("over"));
  await assertRejects(() => late, Error, "over");
  resolve("v");
  await turn();
  assertEquals(test.cache.get("k"), undefined);
  // Nor does anybody wait for it.
  assertEquals(await test.cache.getOrLoad("k", () => "w"), "w");
});

Deno.test("a load that asks for its own key is given a promise of it", async () => {
  await using test = new TestSharedCache();
  let inner: Promise<string> | undefined;
  const outer = await test.cache.getOrLoad("k", () => {
    inner = test.cache.getOrLoad("k", () => "inner");
    return "outer";
  });
  assertEquals([outer, await inner], ["outer", "outer"]);
});

Deno.test("what is deleted during a load for which there is no lease, or while it is encoded, is newer", async () => {
  // With another one, two of the keys may have leases that look the same, and wait for each other.
  await using test = withSecret(
    [1, 2, 3],
    () => new TestSharedCache<unknown>({ maxBytes: 2 ** 20, codec: "json" }),
  );
  const { cache } = test;
  const keys = Array.from({ length: 600 }, (_, i) => `${i}`);
  for (const change of ["delete", "clear"]) {
    const { promise, resolve } = Promise.withResolvers<string>();
    const old = keys.map((key) => cache.getOrLoad(key, () => promise));
    await turn();
    if (change === "clear") cache.clear();
    else for (const key of keys) cache.delete(key);
    const fresh = keys.map((key) => cache.getOrLoad(key, () => "new"));
    resolve("old");
    await Promise.all(old);
    assertEquals((await Promise.all(fresh)).filter((value) => value !== "new"), []);
    assertEquals(keys.filter((key) => cache.get(key) === "old"), []);
    cache.clear();
  }
  await cache.getOrLoad("k", () => ({ toJSON: () => (cache.delete("k"), "old") }));
  assertEquals(cache.get("k"), undefined);
});

Deno.test("whoever lost a lease that ran out to a loader in another place does not hold it", () => {
  const clock = new FakeClock();
  const store = createStore(planLayout(2 ** 18, 64), { codec: "bytes", ttl: 60_000 }, clock);
  const { leases } = store;
  const other = leases.take(0x1_0007, 60_000)!;
  const first = leases.take(0x2_0007, 1_000)!;
  leases.give(other);
  clock.advance(5_000);
  const second = leases.take(0x2_0007, 1_000)!;
  assertEquals([first, second].map((lease) => leases.isHeld(lease)), [false, true]);
});

for (const interrupted of ["loader", "setter"]) {
  Deno.test(`no load puts its result over a newer value at any step of its ${interrupted}`, () => {
    for (let step = 0, met = true; met; step++) {
      const clock = new FakeClock();
      const layout = planLayout(2 ** 18, 64);
      const one = createStore(layout, { codec: "bytes", ttl: 60_000 }, clock);
      const two = new SharedStore(one.memory.buffer, layout, clock);
      const set = () => (two.seek("k"), two.set(new Uint8Array([2]), 1, 0, 60_000));
      let lease: Lease | undefined;
      let found = false;
      const begin = () => {
        one.seek("k");
        lease = one.leases.take(one.hash, 30_000);
        found = one.get();
      };
      const finish = () => {
        one.seek("k");
        if (found || lease === undefined || !one.leases.isHeld(lease)) return;
        one.set(new Uint8Array([1]), 1, 0, 60_000, lease);
      };
      if (interrupted === "loader") {
        begin();
        met = atStep(step, finish, set);
      } else {
        met = atStep(step, set, begin);
        finish();
      }
      two.seek("k");
      if (met) assert(!two.get() || two.found[0] === 2, `at step ${step}`);
    }
  });
}
