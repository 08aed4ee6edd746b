import { assertEquals, assertThrows } from "@std/assert";
import { guardTests } from "../../src/testing/mod.ts";
import { TestCache } from "./_ttl_caches.ts";

guardTests();

Deno.test("beyond maxSize, the least recently used entry is evicted", async () => {
  await using cache = new TestCache({ maxSize: 3 });
  cache.set("a", 1).set("b", 2).set("c", 3);
  cache.get("a");
  cache.peek("b");
  cache.has("b");
  cache.set("d", 4).set("c", 5).set("e", 6);
  assertEquals(cache.removed, [
    ["b", 2, "evicted"],
    ["c", 3, "replaced"],
    ["a", 1, "evicted"],
  ]);
  assertEquals([...cache.keys()].sort(), ["c", "d", "e"]);
});

Deno.test("an entry that makes room but has expired is gone because of that", async () => {
  await using cache = new TestCache({ maxSize: 1 });
  cache.set("a", 1);
  cache.time.advance(1_001);
  cache.set("b", 2);
  assertEquals(cache.removed, [["a", 1, "expired"]]);
});

Deno.test("beyond maxWeight, as many entries are evicted as need to be", async () => {
  await using cache = new TestCache({ maxWeight: 10, weigh: (value) => value });
  cache.set("a", 3).set("b", 3).set("c", 4).set("d", 5);
  assertEquals([...cache.keys()], ["c", "d"]);
  cache.set("c", 6);
  assertEquals([...cache], [["c", 6]]);
  cache.set("z", 0);
  cache.delete("c");
  cache.set("e", 10);
  assertEquals([...cache.keys()].sort(), ["e", "z"]);
});

Deno.test("an entry that weighs more than maxWeight is evicted at once, and takes none with it", async () => {
  await using cache = new TestCache({ maxWeight: 10, weigh: (value) => value });
  cache.set("a", 3).set("b", 4).set("b", 11);
  assertEquals([...cache], [["a", 3]]);
  assertEquals(cache.removed, [["b", 4, "replaced"], ["b", 11, "evicted"]]);
});

Deno.test("a weigh() that changes its mind, throws or gives no number harms nothing", async () => {
  let weight: unknown = 4;
  await using cache = new TestCache({
    maxWeight: 10,
    weigh: () => {
      if (weight instanceof Error) throw weight;
      return weight as number;
    },
  });
  cache.set("a", 1).set("b", 2);
  for (const wrong of [NaN, -1, Infinity, "4", undefined, 4n]) {
    weight = wrong;
    assertThrows(() => cache.set("a", 9), RangeError, "Cannot set");
  }
  weight = new Error("no scales");
  assertThrows(() => cache.set("c", 9), Error, "no scales");
  assertEquals([...cache], [["a", 1], ["b", 2]]);
  // Each weighs what it weighed when it was set.
  weight = 2;
  cache.set("c", 3);
  assertEquals([...cache.keys()], ["a", "b", "c"]);
  cache.clear();
  weight = 10;
  cache.set("d", 4);
  assertEquals([...cache.keys()], ["d"]);
});

Deno.test("weigh() may change the cache", async () => {
  await using cache: TestCache = new TestCache({
    maxWeight: 2,
    weigh: (value) => {
      if (value === 7) cache.clear();
      return 1;
    },
  });
  cache.set("a", 1).set("b", 2).set("a", 7);
  assertEquals([...cache], [["a", 7]]);
});

Deno.test("weights of fractions add up to nothing in the end", async () => {
  await using cache = new TestCache({ maxWeight: 1, weigh: () => 0.1 });
  for (let round = 0; round < 1_000; round++) cache.set(`${round % 7}`, round);
  for (const key of [...cache.keys()]) cache.delete(key);
  for (let key = 0; key < 9; key++) cache.set(`${key}`, key);
  assertEquals(cache.size, 9);
});

Deno.test("100,000 evictions take no longer in a large cache than in a small one: no search", async () => {
  await using cache = new TestCache({ maxSize: 50_000, onRemove: () => {} });
  for (let key = 0; key < 150_000; key++) cache.set(`${key}`, key);
  assertEquals([cache.size, cache.stats.removals.evicted], [50_000, 100_000]);
  assertEquals([cache.has("99999"), cache.has("100000")], [false, true]);
});

Deno.test("a large cache with every limit is cleared, swept empty and filled again", async () => {
  await using cache = new TestCache({
    maxSize: 1_000,
    maxWeight: 900,
    weigh: () => 1,
    updateOnGet: true,
    sweepInterval: 5_000,
  });
  const fill = () => {
    for (let key = 0; key < 1_000; key++) cache.set(`${key}`, key);
    assertEquals([cache.size, cache.has("99"), cache.get("100")], [900, false, 100]);
  };
  fill();
  cache.clear();
  assertEquals(cache.sizeWithExpired, 0);
  fill();
  cache.time.advance(5_000);
  assertEquals([cache.sizeWithExpired, cache.time.timers], [0, 0]);
  fill();
});

Deno.test("after clear() all of maxWeight is there again", async () => {
  await using cache = new TestCache({ maxWeight: 10, weigh: () => 5 });
  cache.set("a", 1).set("b", 2);
  cache.clear();
  cache.set("c", 3).set("d", 4);
  assertEquals([...cache.keys()], ["c", "d"]);
});
