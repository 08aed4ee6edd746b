import { assert, assertEquals } from "@std/assert";
import { Records } from "../../src/cache/_shared_records.ts";
import { statsOf } from "../../src/cache/_shared_stats.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestSharedCache } from "../support/shared_cache.ts";
import { type Participant, participants } from "../support/shared_model.ts";

guardTests();

const small = { maxBytes: 64 * 1024, segmentShift: 12 };
const HOUR = 3_600_000;

/** Writes entries until one of `keys`, which all are read between, moves; `meanwhile` happens just before. */
function untilMoved(part: Participant, keys: string[], meanwhile: () => void): void {
  const { index } = part.store;
  const move = index.move;
  let moved = false;
  index.move = (...args) => {
    index.move = move;
    moved = true;
    meanwhile();
    return index.move(...args);
  };
  for (let i = 0; !moved && i < 2_000; i++) {
    for (const key of keys) part.get(key);
    part.set(`other ${i}`, 99, 300, HOUR);
  }
  assert(moved, "nothing was moved");
}

Deno.test("when the memory is full, what was read stays, and what was not goes in its order", async () => {
  await using test = new TestSharedCache({ ttl: HOUR });
  const { cache } = test;
  const value = "x".repeat(200);
  for (let i = 0; i < 50; i++) {
    cache.set(`read ${i}`, value);
    cache.set(`not read ${i}`, value);
  }
  for (let i = 0; i < 20_000; i++) {
    cache.set(`filler ${i}`, value);
    assertEquals(cache.get(`read ${i % 50}`), value);
  }
  for (let i = 0; i < 50; i++) assertEquals(cache.has(`not read ${i}`), false);
  // The newest are there without being read, a good part of the memory.
  const newest = Array.from({ length: 200 }, (_, i) => cache.has(`filler ${19_800 + i}`));
  assert(newest.every(Boolean));
  const { segments } = cache.stats;
  assert(segments.free >= 1, "there is room before it is needed");
});

Deno.test("what was read once does not stay for ever, and has() does not count as reading", async () => {
  await using test = new TestSharedCache({ ttl: HOUR });
  const { cache } = test;
  const value = "x".repeat(200);
  cache.set("once", value);
  for (let i = 0; i < 10; i++) cache.get("once");
  cache.set("looked at", value);
  let stayed = 0;
  for (let i = 0; i < 20_000 && cache.has("once"); i++) {
    cache.set(`filler ${i}`, value);
    if (cache.has("looked at")) stayed = i;
  }
  assertEquals(cache.has("once"), false);
  assert(stayed < 2_000, `${stayed}`);
});

Deno.test("when all is read, there is still room for what is new", async () => {
  await using test = new TestSharedCache({ ttl: HOUR });
  const { cache } = test;
  const value = "x".repeat(100);
  for (let i = 0; i < 20_000; i++) {
    cache.set(`${i}`, value);
    for (let back = 0; back < 3; back++) cache.get(`${i - (i * 31 + back * 977) % 2_000}`);
    assertEquals(cache.get(`${i}`), value);
  }
  const { drops, size } = cache.stats;
  assertEquals(drops, 0);
  assert(size > 500, `${size}`);
});

Deno.test("what moves keeps its end", async () => {
  await using test = new TestSharedCache({ ttl: HOUR });
  const { cache, clock } = test;
  const value = "x".repeat(200);
  cache.set("read", value, { ttl: HOUR / 2 });
  for (let i = 0; i < 5_000; i++) {
    cache.set(`filler ${i}`, value);
    assertEquals(cache.get("read"), value);
  }
  clock.advance(HOUR / 2 + 32);
  assertEquals(cache.get("read"), undefined);
});

Deno.test("what expires soon does not move to where it would lie dead for long", async () => {
  await using test = new TestSharedCache({ ttl: Infinity });
  const { cache, clock } = test;
  const value = "x".repeat(200);
  for (let i = 0; i < 100; i++) cache.set(`soon ${i}`, value, { ttl: HOUR });
  clock.advance(20_000);
  for (let i = 0; i < 3_000; i++) {
    cache.set(`filler ${i}`, value);
    cache.get(`soon ${i % 100}`);
  }
  for (let i = 0; i < 100; i++) assertEquals(cache.has(`soon ${i}`), false);
});

Deno.test("a key that is deleted, replaced or cleared while its record moves does not come back", () => {
  const deeds: [(part: Participant) => void, number | undefined][] = [
    [(part) => assertEquals(part.delete("key"), true), undefined],
    [(part) => part.set("key", 2, 30, HOUR), 2],
    [(part) => part.store.clear(), undefined],
  ];
  for (const [deed, expected] of deeds) {
    const { parts: [mover, other] } = participants(2, small);
    mover!.set("key", 1, 300, HOUR);
    untilMoved(mover!, ["key"], () => deed(other!));
    assertEquals([mover, other].map((part) => part!.get("key")?.value), [expected, expected]);
    other!.set("key", 3, 300, HOUR);
    assertEquals(mover!.get("key")?.value, 3);
    assertEquals(other!.delete("key"), true);
    assertEquals(mover!.get("key"), undefined);
    const found = Array.from({ length: 2_000 }, (_, i) => `other ${i}`)
      .filter((key) => mover!.get(key) !== undefined);
    assertEquals(mover!.store.size(), found.length, "all are counted once");
  }
});

/** Lets something happen when a record is looked at next, after its address was read. */
function atNextMatch(happens: () => void): void {
  const { match } = Records.prototype;
  Records.prototype.match = function (...args) {
    Records.prototype.match = match;
    happens();
    return this.match(...args);
  };
}

Deno.test("a key whose record moves away under a thread's hands is found where it is now", () => {
  const deeds: ((part: Participant) => void)[] = [
    (part) => assertEquals(part.get("key")?.value, 1),
    (part) => {
      assertEquals(part.delete("key"), true);
      assertEquals(part.get("key"), undefined);
    },
    (part) => {
      part.set("key", 2, 30, HOUR);
      assertEquals(part.get("key")?.value, 2);
      assertEquals(part.delete("key"), true);
      assertEquals(part.get("key"), undefined);
    },
  ];
  for (const deed of deeds) {
    const { parts: [mover, other] } = participants(2, small);
    mover!.set("key", 1, 300, HOUR);
    atNextMatch(() => untilMoved(mover!, ["key"], () => {}));
    deed(other!);
  }
});

Deno.test("a record that nobody finishes to move is there, and its memory comes back", () => {
  const { parts: [mover, other], clock } = participants(2, small);
  mover!.set("key", 1, 300, HOUR);
  try {
    untilMoved(mover!, ["key"], () => {
      throw new Error("killed");
    });
  } catch (error) {
    assertEquals((error as Error).message, "killed");
  }
  assertEquals(other!.get("key")?.value, 1);
  for (let i = 0; i < 2_000; i++) other!.set(`more ${i}`, 5, 300, HOUR);
  assertEquals(other!.get("more 1999")?.value, 5);
  for (let i = 0; i < 12; i++) {
    clock.advance(10_000);
    other!.store.sweep();
  }
  const { count } = other!.store.segments;
  other!.store.clear();
  other!.store.release();
  other!.store.sweep();
  assertEquals(statsOf(other!.store).segments, { free: count, open: 0, sealed: 0 });
});
