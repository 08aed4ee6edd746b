import { assert, assertEquals, assertThrows } from "@std/assert";
import { TtlCache } from "../../src/cache/mod.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { StoppedTime, TestCache } from "./_ttl_caches.ts";

guardTests();

Deno.test("TtlCache keeps an entry alive at exactly its ttl, and not one tick longer", async () => {
  await using cache = new TestCache({ ttl: 1_000 });
  cache.set("a", 1);
  cache.time.advance(1_000);
  assertEquals([cache.has("a"), cache.peek("a"), cache.get("a"), cache.ttlOf("a")], [
    true,
    1,
    1,
    0,
  ]);
  assertEquals([cache.size, [...cache]], [1, [["a", 1]]]);
  cache.time.advance(1);
  assertEquals([cache.has("a"), cache.peek("a"), cache.ttlOf("a")], [false, undefined, undefined]);
  assertEquals([cache.size, cache.sizeWithExpired, [...cache]], [0, 1, []]);
  assertEquals(cache.get("a"), undefined);
  assertEquals(cache.sizeWithExpired, 0);
});

Deno.test("TtlCache never expires an entry whose ttl is Infinity", async () => {
  await using cache = new TestCache({ ttl: Infinity, sweepInterval: 1_000 });
  cache.set("a", 1);
  assertEquals(cache.time.timers, 0);
  cache.time.advance(1e15);
  assertEquals([cache.get("a"), cache.ttlOf("a")], [1, Infinity]);
  cache.set("b", 2, { ttl: 5 });
  assertEquals(cache.time.timers, 1);
  cache.time.advance(1_000);
  assertEquals([cache.sizeWithExpired, cache.time.timers], [1, 0]);
});

Deno.test("TtlCache refuses a ttl of 0, below 0 or NaN, where client-go takes it for ever", () => {
  const { signal } = new AbortController();
  for (const ttl of [0, -1, -Infinity, NaN, { seconds: 0 }]) {
    assertThrows(() => new TtlCache({ signal, ttl }), RangeError, "ttl");
  }
});

Deno.test("set() refuses a wrong ttl and changes nothing", async () => {
  await using cache = new TestCache();
  cache.set("a", 1);
  for (const ttl of [0, -1, NaN, { minutes: -5 }]) {
    assertThrows(() => cache.set("a", 2, { ttl }), RangeError, "ttl");
  }
  assertThrows(() => cache.set("a", 2, { ttl: "5m" as unknown as number }), TypeError, "ttl");
  assertEquals([...cache], [["a", 1]]);
  assertEquals(cache.removed, []);
});

Deno.test("TtlCache says which option is missing or wrong", () => {
  const { signal } = new AbortController();
  const make = (options: object) => () =>
    new TtlCache({ signal, ttl: 1, ...options } as ConstructorParameters<typeof TtlCache>[0]);
  assertThrows(make({ signal: undefined }), TypeError, "expected an AbortSignal as signal");
  assertThrows(make({ ttl: undefined }), TypeError, "ttl");
  assertThrows(make({ sweepInterval: 0 }), RangeError, "sweepInterval");
  assertThrows(make({ sweepBudget: -1 }), RangeError, "sweepBudget");
  assertThrows(make({ maxStall: 0 }), RangeError, "maxStall");
  for (const maxSize of [0, -1, 1.5, NaN, "9"]) {
    assertThrows(make({ maxSize }), RangeError, "maxSize");
  }
  for (const maxWeight of [0, NaN]) {
    assertThrows(make({ maxWeight, weigh: () => 1 }), RangeError, "maxWeight");
  }
  assertThrows(make({ maxWeight: 5 }), TypeError, "maxWeight needs weigh");
  assertThrows(make({ weigh: 5 as never }), TypeError, "a function as weigh: received 5");
  assertThrows(make({ onRemove: "x" as never }), TypeError, "a function as onRemove");
  assertThrows(make({ updateOnGet: 1 as never }), TypeError, "true or false as updateOnGet");
  for (const ttl of [NaN, -1]) {
    assertThrows(
      make({ ttl }),
      RangeError,
      "expected more than 0 ms, or Infinity for ever: received",
    );
  }
});

Deno.test("set() begins the life of an entry anew, with the ttl that it is given", async () => {
  await using cache = new TestCache({ ttl: { seconds: 1 } });
  cache.set("a", 1);
  cache.time.advance(900);
  cache.set("a", 2);
  cache.time.advance(1_000);
  assertEquals(cache.get("a"), 2);
  cache.set("a", 3, { ttl: { milliseconds: 10 } });
  assertEquals(cache.ttlOf("a"), 10);
  cache.time.advance(11);
  assertEquals(cache.get("a"), undefined);
});

Deno.test("reads do not extend the life of an entry", async () => {
  await using cache = new TestCache();
  cache.set("a", 1);
  cache.time.advance(999);
  void [cache.get("a"), cache.peek("a"), cache.has("a"), cache.ttlOf("a"), [...cache]];
  await cache.getOrLoad("a", () => 9);
  cache.time.advance(2);
  assertEquals(cache.has("a"), false);
});

Deno.test("with updateOnGet, get() extends an entry by its own ttl, and nothing else does", async () => {
  await using cache = new TestCache({ updateOnGet: true });
  cache.set("a", 1).set("b", 2, { ttl: 5_000 }).set("c", 3);
  cache.time.advance(1_000);
  assertEquals([cache.get("a"), cache.get("b"), cache.peek("c")], [1, 2, 3]);
  assertEquals([cache.ttlOf("a"), cache.ttlOf("b"), cache.ttlOf("c")], [1_000, 5_000, 0]);
  cache.time.advance(1_000);
  assertEquals([...cache.keys()], ["a", "b"]);
});

Deno.test("a set between the expiry of an entry and the sweep is not undone by it", async () => {
  await using cache = new TestCache({ sweepInterval: 5_000 });
  cache.set("a", 1);
  cache.time.advance(4_999);
  cache.set("a", 2);
  cache.time.advance(1);
  assertEquals(cache.get("a"), 2);
  assertEquals(cache.removed, [["a", 1, "expired"]]);
});

Deno.test("a jump of the wall clock expires nothing and keeps nothing alive", async () => {
  await using cache = new TestCache();
  cache.set("a", 1);
  cache.time.setNow("2040-01-01");
  assertEquals(cache.get("a"), 1);
  cache.time.setNow("1970-01-01");
  cache.time.advance(1_001);
  assertEquals(cache.get("a"), undefined);
});

Deno.test("no read returns what has expired, however long the code before it took", async () => {
  using time = new StoppedTime();
  await using cache = new TtlCache<string, number>({
    signal: new AbortController().signal,
    ttl: { hours: 1 },
  });
  cache.set("a", 1).set("b", 2, { ttl: { hours: 2 } });
  assertEquals([cache.get("a"), cache.get("b")], [1, 2]);
  time.now += 3_600_000;
  assertEquals([cache.get("a"), cache.get("b")], [1, 2]);
  time.now += 1;
  assertEquals([cache.get("a"), cache.has("a"), cache.get("b")], [undefined, false, 2]);
});

Deno.test("with maxStall, reads within one piece of code share a look at the clock", async () => {
  using time = new StoppedTime();
  await using cache = new TtlCache<string, number>({
    signal: new AbortController().signal,
    ttl: { hours: 1 },
    maxStall: { seconds: 1 },
  });
  cache.set("long", 1).set("short", 2, { ttl: 1_000 }).set("ever", 3, { ttl: Infinity });
  time.looks = 0;
  const read = () => [cache.get("long"), cache.get("ever"), cache.peek("long"), cache.has("long")];
  assertEquals([...read(), ...read()], [1, 3, 1, true, 1, 3, 1, true]);
  assertEquals(time.looks, 1);
  // What may expire within the stall is looked at.
  time.now += 1_000;
  assertEquals([cache.get("short"), time.looks], [2, 2]);
  time.now += 1;
  assertEquals([cache.get("short"), cache.get("long")], [undefined, 1]);
  time.looks = 0;
  // No look holds beyond an await.
  await Promise.resolve();
  time.now += 3_600_000;
  assertEquals([cache.get("long"), time.looks], [undefined, 1]);
});

Deno.test("maxStall does not keep a clock of one's own from being asked", async () => {
  await using cache = new TestCache({ maxStall: 10 });
  cache.set("a", 1);
  assertEquals(cache.get("a"), 1);
  cache.time.advance(1_001);
  assertEquals(cache.get("a"), undefined);
});

Deno.test("TtlCache keeps undefined, NaN and objects as keys and values", async () => {
  const key = {};
  await using cache = new TtlCache<unknown, unknown>({
    signal: new AbortController().signal,
    ttl: 60_000,
  });
  cache.set(undefined, 1).set(NaN, undefined).set(key, null);
  assertEquals([cache.get(undefined), cache.get(NaN), cache.get(key)], [1, undefined, null]);
  assertEquals([cache.has(NaN), cache.has({})], [true, false]);
  assertEquals(cache.stats.hits, 3);
});

Deno.test("a cache may be changed while it is iterated over, as a Map", async () => {
  await using cache = new TestCache();
  cache.set("a", 1).set("b", 2).set("c", 3);
  const seen: string[] = [];
  for (const [key] of cache) {
    seen.push(key);
    if (key === "a") cache.delete("b"), cache.set("d", 4);
    if (key === "d") cache.clear(), cache.set("e", 5);
    assert(seen.length < 10);
  }
  assertEquals(seen, ["a", "c", "d", "e"]);
  assertEquals([[...cache.keys()], [...cache.values()]], [["e"], [5]]);
});

Deno.test("stats tell hits, misses and removals by cause", async () => {
  await using cache = new TestCache({ maxSize: 2 });
  cache.set("a", 1).set("b", 2).set("c", 3).set("c", 4);
  void [cache.get("a"), cache.get("b"), cache.peek("zzz"), cache.has("b")];
  assertEquals([cache.delete("b"), cache.delete("b")], [true, false]);
  cache.set("d", 5, { ttl: 1 });
  cache.time.advance(2);
  assertEquals(cache.delete("d"), false);
  cache.clear();
  assertEquals(cache.stats, {
    hits: 1,
    misses: 1,
    loads: 0,
    loadFailures: 0,
    removals: { expired: 1, evicted: 1, deleted: 1, replaced: 1, cleared: 1 },
  });
});
