import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { SharedCache } from "../../src/cache/shared_cache.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestSharedCache } from "../support/shared_cache.ts";

guardTests();

Deno.test("a shared cache returns what was set last, and nothing that was deleted", async () => {
  await using test = new TestSharedCache();
  const { cache } = test;
  assertEquals(cache.get("a"), undefined);
  cache.set("a", "1");
  cache.set("b", "2");
  cache.set("a", "3");
  assertEquals([cache.get("a"), cache.get("b"), cache.size], ["3", "2", 2]);
  assertEquals([cache.has("a"), cache.has("c")], [true, false]);
  assertEquals([cache.delete("a"), cache.delete("a")], [true, false]);
  assertEquals([cache.get("a"), cache.size], [undefined, 1]);
  cache.clear();
  assertEquals([cache.get("b"), cache.size], [undefined, 0]);
  cache.set("b", "4");
  assertEquals(cache.get("b"), "4");
});

Deno.test("an entry lives as long as its own ttl says, also when nobody sweeps", async () => {
  await using test = new TestSharedCache();
  const { cache, clock } = test;
  cache.set("short", "1", { ttl: 100 });
  cache.set("default", "2");
  cache.set("for ever", "3", { ttl: Infinity });
  clock.advance(100);
  assertEquals(cache.get("short"), "1", "never shorter than asked for");
  clock.advance(32);
  assertEquals([cache.get("short"), cache.has("short")], [undefined, false]);
  assertEquals(cache.delete("short"), false);
  assertEquals(cache.get("default"), "2");
  clock.advance(10_000);
  assertEquals([cache.get("default"), cache.get("for ever")], [undefined, "3"]);
  assertEquals(cache.size, 1);
});

Deno.test("segments that were freed do not keep others of another ttl from one of their own", async () => {
  // As many as may be open at once in so small a cache.
  await using test = new TestSharedCache({ maxBytes: 256 * 1024 });
  const { cache, clock } = test;
  cache.set("hours", "x", { ttl: 3_600_000 });
  cache.set("a second", "x", { ttl: 1_000 });
  cache.set("two", "x", { ttl: 2_000 });
  assertEquals(cache.stats.segments.open, 3);
  clock.advance(3_000);
  assertEquals(cache.sweep(), 2);
  cache.set("minutes", "x", { ttl: 300_000 });
  clock.advance(400_000);
  assertEquals([cache.sweep(), cache.get("hours")], [1, "x"]);
});

Deno.test("a sweep releases expired entries with their segments, and tells how many", async () => {
  await using test = new TestSharedCache({ maxBytes: 2 ** 20 });
  const { cache, clock } = test;
  for (let i = 0; i < 1_000; i++) cache.set(`short ${i}`, "x", { ttl: 1_000 });
  for (let i = 0; i < 500; i++) cache.set(`long ${i}`, "x", { ttl: 100_000 });
  const before = cache.stats;
  assertEquals([before.size, cache.sweep()], [1_500, 0]);
  clock.advance(2_000);
  assertEquals(cache.sweep(), 1_000);
  const { size, expirations, sweeps, segments } = cache.stats;
  assertEquals([size, expirations, sweeps], [500, 1_000, 2]);
  assert(segments.free > before.segments.free);
  for (let i = 0; i < 500; i++) assertEquals(cache.get(`long ${i}`), "x");
});

Deno.test("when the memory is full, what expires first goes first, and no set() fails", async () => {
  await using test = new TestSharedCache({ ttl: Infinity });
  const { cache, clock } = test;
  const value = "x".repeat(1_000);
  cache.set("soon", value, { ttl: 60_000 });
  cache.set("late", value);
  // Segments that somebody seems to append to are spared.
  clock.advance(20_000);
  for (let i = 0; i < 300; i++) cache.set(`filler ${i}`, value);
  assertEquals(cache.has("soon"), false);
  for (let i = 0; i < 2_000; i++) {
    cache.set(`${i}`, value);
    assertEquals(cache.get(`${i}`), value);
  }
  const { evictions, size, drops, bytes } = cache.stats;
  assert(evictions > 1_500 && size > 150, `${evictions} evictions, ${size} entries`);
  assertEquals(drops, 0);
  assertEquals(bytes.total, cache.handle.buffer.byteLength);
  assert(bytes.total <= 256 * 1024, "within maxBytes");
});

Deno.test("stats tells hits, misses, and live and dead bytes", async () => {
  await using test = new TestSharedCache();
  const { cache } = test;
  cache.set("a", "x".repeat(100));
  cache.get("a");
  cache.get("a");
  cache.get("b");
  const { hits, misses, bytes, segments } = cache.stats;
  assertEquals([hits, misses, bytes.live, bytes.dead], [2, 1, 128, 0]);
  assertEquals([segments.open, segments.sealed], [1, 0]);
  cache.set("a", "y".repeat(100));
  assertEquals([cache.stats.bytes.live, cache.stats.bytes.dead], [128, 128]);
});

Deno.test("what is attached has the same entries, and closes on its own", async () => {
  await using test = new TestSharedCache();
  const owner = new AbortController();
  const same = SharedCache.attach<string>(structuredClone(test.cache.handle), {
    signal: owner.signal,
  });
  same.set("a", "1");
  assertEquals(test.cache.get("a"), "1");
  owner.abort();
  await same.finished;
  assertThrows(() => same.get("a"), Error, "Cannot get from a SharedCache: it has been closed");
  assertEquals(test.cache.get("a"), "1");
});

Deno.test("a cache whose owner has aborted already is closed", async () => {
  const signal = AbortSignal.abort(new Error("over"));
  const cache = new SharedCache({ signal, maxBytes: 2 ** 20, ttl: 1_000 });
  const error = assertThrows(() => cache.set("a", 1), Error, "it has been closed");
  assertEquals((error.cause as Error).message, "over");
  await assertRejects(() => cache.getOrLoad("a", () => 1), Error, "it has been closed");
  await cache.finished;
});

Deno.test("each codec returns what it was given, as a copy", async () => {
  const strings = [
    "",
    "plain",
    "é",
    "\ufeffbom",
    "😀".repeat(100),
    "half \ud83d",
    "x".repeat(3_000),
  ];
  await using text = new TestSharedCache();
  for (const value of strings) {
    text.cache.set("k", value);
    assertEquals(text.cache.get("k"), value);
  }
  await using json = new TestSharedCache<unknown>({ codec: "json" });
  for (const value of [null, 0, false, "", ...strings, { a: [1, { b: null }] }]) {
    json.cache.set("k", value);
    assertEquals(json.cache.get("k"), value);
  }
  assertEquals(json.cache.getBytes("k"), new TextEncoder().encode('{"a":[1,{"b":null}]}'));
  await using bytes = new TestSharedCache<Uint8Array>({ codec: "bytes" });
  const value = new Uint8Array([0, 1, 255]);
  bytes.cache.set("k", value);
  value[0] = 9;
  const copy = bytes.cache.get("k")!;
  assertEquals(copy, new Uint8Array([0, 1, 255]));
  copy[1] = 9;
  assertEquals(bytes.cache.get("k"), new Uint8Array([0, 1, 255]));
});

Deno.test("keys that differ never share an entry; a string is the same key as its UTF-8", async () => {
  await using test = new TestSharedCache();
  const { cache } = test;
  const keys = [
    "",
    "\0",
    "a",
    "é",
    "e\u0301",
    "\ud83d",
    "\ude00",
    "\ufffd",
    "😀",
    "k".repeat(65_536),
  ];
  await using large = new TestSharedCache({ maxBytes: 64 * 2 ** 20 });
  for (const key of keys) large.cache.set(key, `of ${keys.indexOf(key)}`);
  for (const key of keys) assertEquals(large.cache.get(key), `of ${keys.indexOf(key)}`);
  cache.set("é", "1");
  assertEquals(cache.get(new Uint8Array([0xc3, 0xa9])), "1");
});
