import { assert, assertEquals } from "@std/assert";
import { META } from "../../src/cache/_shared_layout.ts";
import { CLAIMED, FREE, STATE_MASK, WRITING } from "../../src/cache/_shared_state.ts";
import { statsOf } from "../../src/cache/_shared_stats.ts";
import type { SharedStore } from "../../src/cache/_shared_store.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { participants } from "../support/shared_model.ts";

guardTests();

const small = { maxBytes: 64 * 1024, segmentShift: 12 };
const HOUR = 3_600_000;

/** As if somebody were at work in each segment. */
function takeAll({ memory, segments }: SharedStore): void {
  for (let segment = 0; segment < segments.count; segment++) {
    const word = memory.header(segment) + META;
    const meta = memory.words[word]!;
    const isFree = (meta & STATE_MASK) === FREE;
    memory.words[word] = meta & ~STATE_MASK | (isFree ? CLAIMED : WRITING);
  }
}

Deno.test("when all segments are in the hands of others, a value is dropped, and the one before with it", () => {
  const { parts: [one, two] } = participants(2, small);
  one!.set("k", 1, 100, HOUR);
  takeAll(one!.store);
  assertEquals(two!.get("k")?.value, 1);
  two!.set("k", 2, 100, HOUR);
  assertEquals([one!.get("k"), two!.get("k")], [undefined, undefined]);
  assertEquals(statsOf(two!.store).drops, 1);
});

Deno.test("whoever is at work when the process is stopped for long is not taken for dead", () => {
  const { parts: [one, two], clock } = participants(2, small);
  one!.set("k", 1, 100, Infinity);
  takeAll(one!.store);
  two!.store.sweep();
  clock.advance(10 * 60_000);
  two!.store.sweep();
  assertEquals(two!.get("k")?.value, 1);
  for (let i = 0; i < 6; i++) {
    clock.advance(10_000);
    two!.store.sweep();
  }
  assertEquals(two!.get("k"), undefined);
  assertEquals(statsOf(two!.store).segments.free, two!.store.segments.count);
});

Deno.test("no segment is taken from one who appends to it to make room in advance", () => {
  const { count } = participants(1, small).parts[0]!.store.segments;
  const { parts } = participants(count, small);
  for (const [i, part] of parts.entries()) part.set(`${i}`, i + 1, 100, HOUR);
  assertEquals(statsOf(parts[0]!.store).segments, { free: 0, open: count, sealed: 0 });
  for (let i = 0; i < count; i++) assertEquals(parts[0]!.get(`${i}`)?.value, i + 1);
});

Deno.test("a new value of a key that was deleted has not been read yet", () => {
  const { parts: [part] } = participants(1, small);
  part!.set("k", 1, 100, HOUR);
  for (let i = 0; i < 5; i++) part!.get("k");
  part!.delete("k");
  part!.set("k", 2, 100, HOUR);
  const { count, units } = part!.store.segments;
  // As much as there is room for, and no more.
  for (let i = 0; i < count * units / 8; i++) part!.set(`other ${i}`, 9, 100, HOUR);
  part!.store.seek("k");
  assertEquals(part!.store.has(), false);
});

Deno.test("two keys of the same hash have an entry each", () => {
  const { parts: [part] } = participants(1, { maxBytes: 2 ** 20 });
  const { store } = part!;
  const seen = new Map<number, string>();
  let pair: [string, string] | undefined;
  // Among so many there are a hundred such pairs. Numbers that follow each other may have none.
  for (let i = 0; pair === undefined && i < 1_000_000; i++) {
    const key = crypto.randomUUID();
    store.seek(key);
    const other = seen.get(store.hash);
    if (other !== undefined) pair = [other, key];
    seen.set(store.hash, key);
  }
  assert(pair !== undefined);
  part!.set(pair[0], 1, 10, HOUR);
  assertEquals(part!.get(pair[1]), undefined);
  part!.set(pair[1], 2, 10, HOUR);
  assertEquals(pair.map((key) => part!.get(key)?.value), [1, 2]);
  assertEquals(part!.delete(pair[0]), true);
  assertEquals(pair.map((key) => part!.get(key)?.value), [undefined, 2]);
});
