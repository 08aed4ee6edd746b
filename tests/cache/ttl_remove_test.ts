import { assertEquals } from "@std/assert";
import { guardTests } from "../../src/testing/mod.ts";
import { captureReports } from "../base/_capture_reports.ts";
import { TestCache } from "./_ttl_caches.ts";

guardTests();

Deno.test("onRemove is told each cause, after the fact", async () => {
  await using cache = new TestCache({ maxSize: 2 });
  cache.set("a", 1).set("b", 2).set("c", 3).set("c", 4);
  cache.delete("b");
  cache.set("d", 5, { ttl: 1 });
  cache.time.advance(2);
  cache.get("d");
  cache.clear();
  assertEquals(cache.removed, [
    ["a", 1, "evicted"],
    ["c", 3, "replaced"],
    ["b", 2, "deleted"],
    ["d", 5, "expired"],
    ["c", 4, "cleared"],
  ]);
});

Deno.test("clear() is atomic: onRemove sees an empty cache, and what it sets stays", async () => {
  const sizes: number[] = [];
  await using cache: TestCache = new TestCache({
    onRemove: (key, value) => {
      sizes.push(cache.sizeWithExpired);
      if (key === "a") cache.set("new", value);
    },
  });
  cache.set("a", 1).set("b", 2).set("c", 3);
  cache.clear();
  assertEquals([sizes, [...cache]], [[0, 1, 1], [["new", 1]]]);
});

Deno.test("onRemove is never called within itself, whatever it does", async () => {
  let depth = 0;
  let deepest = 0;
  const told: string[] = [];
  await using cache: TestCache = new TestCache({
    maxSize: 1,
    onRemove: (key, _value, cause) => {
      deepest = Math.max(deepest, ++depth);
      told.push(`${key} ${cause}`);
      // Each eviction evicts another: 20,000 calls deep, the stack would overflow.
      if (told.length <= 20_000) cache.set(`${told.length}`, 0);
      depth--;
    },
  });
  cache.set("a", 1).set("b", 2);
  assertEquals([deepest, told.length], [1, 20_001]);
  assertEquals(told.slice(0, 3), ["a evicted", "b evicted", "1 evicted"]);
  assertEquals(cache.sizeWithExpired, 1);
});

Deno.test("onRemove may delete other entries, and set the one that is gone", async () => {
  await using cache: TestCache = new TestCache({
    sweepInterval: 5_000,
    onRemove: (key) => {
      if (key !== "a") return;
      cache.delete("b");
      cache.set("a", 10);
    },
  });
  cache.set("a", 1).set("b", 2).set("c", 3);
  cache.time.advance(5_000);
  assertEquals([...cache], [["a", 10]]);
  assertEquals(cache.stats.removals, {
    expired: 3,
    evicted: 0,
    deleted: 0,
    replaced: 0,
    cleared: 0,
  });
});

Deno.test("an onRemove that throws or rejects is reported, and the rest goes on", async () => {
  using captured = captureReports();
  await using cache = new TestCache({
    onRemove: (key) => {
      if (key === "a") throw new Error("sync");
      return Promise.reject(new Error("async")) as unknown as void;
    },
  });
  cache.set("a", 1).set("b", 2);
  cache.clear();
  await Promise.resolve();
  await Promise.resolve();
  assertEquals(captured.reports.map(([, error]) => (error as Error).message), ["sync", "async"]);
  assertEquals(cache.set("c", 3).get("c"), 3);
});

Deno.test("an onRemove that closes the cache ends the sweep that calls it", async () => {
  const cache: TestCache = new TestCache({
    sweepInterval: 5_000,
    onRemove: () => void cache.owner.abort(),
  });
  cache.set("a", 1).set("b", 2, { ttl: 60_000 });
  cache.time.advance(5_000);
  await cache.finished;
  assertEquals([cache.sizeWithExpired, cache.time.timers], [1, 0]);
});
