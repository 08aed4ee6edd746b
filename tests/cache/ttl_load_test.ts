import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ClosedError } from "../../src/base/errors.ts";
import type { TtlLoadContext } from "../../src/cache/mod.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestCache } from "./_ttl_caches.ts";

guardTests();

/** Loads that end when the test says so. */
class Loads {
  readonly begun: (PromiseWithResolvers<number> & { signal: AbortSignal })[] = [];
  readonly load = (_key: string, { signal }: TtlLoadContext): Promise<number> => {
    const one = { ...Promise.withResolvers<number>(), signal };
    this.begun.push(one);
    return one.promise;
  };
}

Deno.test("getOrLoad() loads once for all who ask meanwhile, then not at all", async () => {
  await using cache = new TestCache();
  const { begun, load } = new Loads();
  const callers = [1, 2, 3].map(() => cache.getOrLoad("a", load, { ttl: 50 }));
  assertEquals([begun.length, cache.has("a")], [1, false]);
  begun[0]!.resolve(7);
  assertEquals(await Promise.all(callers), [7, 7, 7]);
  assertEquals([await cache.getOrLoad("a", load), cache.ttlOf("a")], [7, 50]);
  assertEquals(begun[0]!.signal.aborted, false);
  cache.time.advance(51);
  const again = cache.getOrLoad("a", () => 8);
  assertEquals([await again, cache.ttlOf("a")], [8, 1_000]);
  const { hits, misses, loads, loadFailures } = cache.stats;
  assertEquals([hits, misses, loads, loadFailures], [1, 4, 2, 0]);
});

Deno.test("a failed load fails for all who wait, and the next caller loads again", async () => {
  await using cache = new TestCache();
  const { begun, load } = new Loads();
  const callers = [cache.getOrLoad("a", load), cache.getOrLoad("a", load)];
  begun[0]!.reject(new Error("down"));
  for (const caller of callers) await assertRejects(() => caller, Error, "down");
  const throwing = () => {
    throw new Error("at once");
  };
  await assertRejects(() => cache.getOrLoad("a", throwing), Error, "at once");
  assertEquals(await cache.getOrLoad("a", () => 3), 3);
  assertEquals([cache.stats.loads, cache.stats.loadFailures], [3, 2]);
});

Deno.test("with failureTtl, a failure is remembered for so long, or until the key is set", async () => {
  await using cache = new TestCache();
  const fail = () => Promise.reject(new Error("down"));
  const ask = (load: () => number | Promise<number>) =>
    cache.getOrLoad("a", load, { failureTtl: 100 });
  await assertRejects(() => ask(fail), Error, "down");
  cache.time.advance(100);
  await assertRejects(() => ask(() => 1), Error, "down");
  assertEquals([cache.stats.loads, cache.has("a")], [1, false]);
  cache.time.advance(1);
  assertEquals(await ask(() => 1), 1);

  cache.delete("a");
  await assertRejects(() => ask(fail), Error, "down");
  cache.set("a", 2);
  assertEquals(await ask(fail), 2);
  cache.clear();
  for (let key = 0; key < 1_500; key++) {
    await cache.getOrLoad(`${key}`, fail, { failureTtl: 100 }).catch(() => {});
  }
  // Only the last thousand: keys that do not exist cannot fill the memory.
  assertEquals(await cache.getOrLoad("499", () => 4), 4);
  await assertRejects(() => cache.getOrLoad("500", () => 4), Error, "down");
});

Deno.test("a caller that aborts stops waiting, and the others do not notice", async () => {
  await using cache = new TestCache();
  const { begun, load } = new Loads();
  const impatient = new AbortController();
  const first = cache.getOrLoad("a", load, { signal: impatient.signal });
  const second = cache.getOrLoad("a", load, { signal: new AbortController().signal });
  impatient.abort(new Error("no time"));
  await assertRejects(() => first, Error, "no time");
  assertEquals(begun[0]!.signal.aborted, false);
  begun[0]!.resolve(1);
  assertEquals([await second, cache.get("a")], [1, 1]);
  await assertRejects(
    () => cache.getOrLoad("a", load, { signal: impatient.signal }),
    Error,
    "no time",
  );
});

Deno.test("a load that never settles is aborted with its last caller, and the next one begins anew", async () => {
  await using cache = new TestCache();
  const { begun, load } = new Loads();
  const caller = new AbortController();
  const waiting = cache.getOrLoad("a", load, { signal: caller.signal });
  caller.abort(new Error("no time"));
  await assertRejects(() => waiting, Error, "no time");
  assert(begun[0]!.signal.aborted);
  assertEquals(begun[0]!.signal.reason.message, "no time");
  const next = cache.getOrLoad("a", load);
  // The first one ends after all: too late to be kept.
  begun[0]!.resolve(1);
  begun[1]!.resolve(2);
  assertEquals([await next, cache.get("a")], [2, 2]);
});

Deno.test("an abandoned load that fails later is nobody's unhandled rejection", async () => {
  await using cache = new TestCache();
  const { begun, load } = new Loads();
  const caller = new AbortController();
  const waiting = cache.getOrLoad("a", load, { signal: caller.signal });
  caller.abort();
  await assertRejects(() => waiting, DOMException);
  begun[0]!.reject(new Error("late"));
  await new Promise((resolve) => setImmediate(resolve));
});

Deno.test("the owner's abort ends every wait and every load", async () => {
  const cache = new TestCache();
  const { begun, load } = new Loads();
  cache.set("b", 2);
  const waits = [
    cache.getOrLoad("a", load),
    cache.getOrLoad("a", load),
    cache.getOrLoad("c", load),
  ];
  cache.owner.abort(new Error("shut down"));
  for (const wait of waits) await assertRejects(() => wait, Error, "shut down");
  assertEquals(begun.map(({ signal }) => signal.aborted), [true, true]);
  await assertRejects(() => cache.getOrLoad("a", load), ClosedError, "Cannot load");
  assertEquals(await cache.getOrLoad("b", load), 2);
  await cache.finished;
});

Deno.test("what is set, deleted or cleared during a load is newer than its result", async () => {
  await using cache = new TestCache();
  const { begun, load } = new Loads();
  const setMeanwhile = cache.getOrLoad("a", load);
  cache.set("a", 100);
  const deleted = cache.getOrLoad("b", load);
  cache.delete("b");
  const cleared = cache.getOrLoad("c", load);
  cache.clear();
  cache.set("a", 100);
  begun.forEach(({ resolve }, index) => resolve(index));
  assertEquals(await Promise.all([setMeanwhile, deleted, cleared]), [0, 1, 2]);
  assertEquals([...cache], [["a", 100]]);
});

Deno.test("a load may set its value itself, with a ttl that it got to know", async () => {
  await using cache: TestCache = new TestCache();
  const load = async (key: string) => {
    cache.set(key, await Promise.resolve(5), { ttl: 77 });
    return 5;
  };
  assertEquals([await cache.getOrLoad("a", load), cache.ttlOf("a")], [5, 77]);
  assertEquals(cache.removed, []);
});

Deno.test("a value that weigh() refuses fails the load, and a wrong ttl fails before it", async () => {
  await using cache = new TestCache({ maxWeight: 10, weigh: (value) => value });
  await assertRejects(() => cache.getOrLoad("a", () => NaN), RangeError, "weigh");
  assertEquals(await cache.getOrLoad("a", () => 1), 1);
  const wrong = () => cache.getOrLoad("b", () => 1, { ttl: 0 });
  await assertRejects(wrong, RangeError, "ttl");
  assertEquals(cache.stats.loads, 2);
});

Deno.test("a value that was set forgets the failure of before, also when it has gone since", async () => {
  await using cache = new TestCache();
  const fail = () => Promise.reject(new Error("down"));
  await assertRejects(() => cache.getOrLoad("a", fail, { failureTtl: 1_000 }), Error, "down");
  cache.set("a", 1, { ttl: 1 });
  cache.time.advance(2);
  assertEquals(await cache.getOrLoad("a", () => 2), 2);
});

Deno.test("a set() that fails leaves a load under way as it is", async () => {
  await using cache = new TestCache({
    maxWeight: 10,
    weigh: (value) => {
      if (value === 13) throw new Error("no scales");
      return 1;
    },
  });
  const { begun, load } = new Loads();
  const loading = cache.getOrLoad("a", load);
  assertThrows(() => cache.set("a", 13), Error, "no scales");
  begun[0]!.resolve(7);
  assertEquals([await loading, cache.get("a")], [7, 7]);
});

Deno.test("what listens to the signal of a load does not run within the abort of a caller's", async () => {
  await using cache = new TestCache();
  const { begun, load } = new Loads();
  const caller = new AbortController();
  const loading = cache.getOrLoad("a", load, { signal: caller.signal });
  let isAborting = true;
  let ranWithin: boolean | undefined;
  begun[0]!.signal.addEventListener("abort", () => ranWithin = isAborting);
  cache.owner.abort(new Error("over"));
  isAborting = false;
  await assertRejects(() => loading, Error, "over");
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(ranWithin, false);
});

Deno.test("nothing holds on to a value that was loaded and deleted", async () => {
  const program = `
    import { TtlCache } from ${JSON.stringify(import.meta.resolve("../../src/cache/mod.ts"))};
    const cache = new TtlCache({ signal: new AbortController().signal, ttl: 1e6 });
    const refs = [];
    for (let key = 0; key < 10; key++) {
      await cache.getOrLoad(key, () => {
        const value = { key };
        refs.push(new WeakRef(value));
        return value;
      });
      cache.delete(key);
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
    gc();
    console.log(refs.filter((ref) => ref.deref() !== undefined).length);`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--v8-flags=--expose-gc",
      `data:text/javascript,${encodeURIComponent(program)}`,
    ],
    env: { NO_COLOR: "1" },
    stderr: "inherit",
  }).output();
  // The slot of the last one may still be in a register.
  assert(Number(new TextDecoder().decode(stdout).trim() || "10") <= 1);
});
