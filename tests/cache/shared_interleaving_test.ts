import { assertEquals } from "@std/assert";
import type { FakeClock } from "../../src/testing/fake_clock.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { type Participant, participants } from "../support/shared_model.ts";

guardTests();

/**
 * Lets something happen when the clock is asked next. A cache asks it in the midst of its work, so that
 * is what another thread may do there.
 */
function atNextLook(clock: FakeClock, happens: () => void): void {
  const read = clock.monotonic.bind(clock);
  clock.monotonic = () => {
    clock.monotonic = read;
    happens();
    return read();
  };
}

const small = { maxBytes: 64 * 1024, segmentShift: 12 };

/** Writes so much that each segment is used again. */
function overwrite(part: Participant): void {
  for (let i = 0; i < 500; i++) part.set(`other ${i}`, 99, 300, 60_000);
}

Deno.test("a reader whose segment is used again under its hands misses", () => {
  const { parts: [reader, writer], clock } = participants(2, small);
  writer!.set("key", 1, 300, 1_000);
  writer!.store.release();
  atNextLook(clock, () => overwrite(writer!));
  assertEquals(reader!.get("key"), undefined);
  atNextLook(clock, () => overwrite(writer!));
  assertEquals(reader!.get("other 499"), { value: 99, length: 300 }, "there is a newer one");
});

Deno.test("a reader gets the value before or after a replacement, never a mixture", () => {
  const { parts: [reader, writer], clock } = participants(2, small);
  writer!.set("key", 1, 300, 60_000);
  atNextLook(clock, () => writer!.set("key", 2, 30, 60_000));
  assertEquals(reader!.get("key"), { value: 1, length: 300 });
  assertEquals(reader!.get("key"), { value: 2, length: 30 });
  atNextLook(clock, () => writer!.delete("key"));
  assertEquals(reader!.get("key"), { value: 2, length: 30 });
  assertEquals(reader!.get("key"), undefined);
});

Deno.test("a writer who is interrupted keeps its segment, whatever others need", () => {
  const { parts: [one, two], clock } = participants(2, { ...small, buckets: 2 });
  for (let i = 0; i < 16; i++) two!.set(`key ${i}`, i + 1, 100, 60_000);
  // The index is full, so a new key looks at the time to tell whether it evicts a living one. The first
  // look is for its own expiry.
  atNextLook(clock, () =>
    atNextLook(clock, () => {
      for (let i = 0; i < 500; i++) two!.set(`key ${i % 16}`, 50, 300, 60_000);
      two!.store.sweep();
    }));
  one!.set("mine", 77, 300, 60_000);
  assertEquals(two!.get("mine"), { value: 77, length: 300 });
  for (let i = 0; i < 16; i++) {
    const found = two!.get(`key ${i}`);
    if (found !== undefined) assertEquals(found, { value: 50, length: 300 });
  }
});
