import { assert, assertEquals } from "@std/assert";
import fc from "npm:fast-check@4";
import { openStore } from "../../src/cache/_shared_memory.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestSharedCache } from "../support/shared_cache.ts";

guardTests();

const COUNT = 300;
const key = (n: number): string => `key ${n}`;
const value = (n: number): string => `value ${n} `.repeat(1 + n % 20);

/** Where the record of a key begins and ends, in words; found by its bytes, which no other has. */
function recordsOf(buffer: SharedArrayBuffer): Map<number, [number, number]> {
  const bytes = new Uint8Array(buffer);
  const text = new TextDecoder("latin1").decode(bytes.slice());
  const records = new Map<number, [number, number]>();
  for (let n = 0; n < COUNT; n++) {
    const start = text.indexOf(key(n) + value(n)) - 20;
    records.set(n, [start / 4, Math.ceil((start + 20 + key(n).length + value(n).length) / 4)]);
  }
  return records;
}

Deno.test("whatever words are broken: no crash, no hang, and no wrong value for a record that is whole", async () => {
  await using test = new TestSharedCache({ maxBytes: 128 * 1024, ttl: Infinity });
  const { cache, clock } = test;
  for (let n = 0; n < COUNT; n++) cache.set(key(n), value(n));
  const words = new Int32Array(cache.handle.buffer);
  const original = words.slice();
  const records = recordsOf(cache.handle.buffer);
  const { index, arena } = openStore(cache.handle).memory.layout;
  // What no attached thread reads again, it need not survive: the description of the layout.
  const flip = fc.record({
    word: fc.oneof(
      fc.integer({ min: 16, max: index - 1 }),
      fc.integer({ min: index, max: arena * 4 - 1 }),
      fc.constantFrom(
        ...[...records.values()].flatMap(([start]) => [0, 1, 2, 3, 4].map((i) => start + i)),
      ),
      fc.integer({ min: arena * 4, max: words.length - 1 }),
    ),
    bits: fc.oneof(fc.integer(), fc.constantFrom(0, -1, 1, 1 << 31, 0x7fffffff)),
  });
  let found = 0;
  fc.assert(
    fc.property(fc.array(flip, { minLength: 1, maxLength: 200 }), fc.boolean(), (flips, sweeps) => {
      words.set(original);
      for (const { word, bits } of flips) words[word]! ^= bits;
      for (const [n, [start, end]] of records) {
        const isWhole = words.subarray(start, end).every((word, i) => word === original[start + i]);
        const actual = cache.get(key(n));
        if (!isWhole || actual === undefined) continue;
        assertEquals(actual, value(n));
        found++;
      }
      // Everything else has to end as well, and to leave a cache that works.
      if (sweeps) cache.sweep();
      const { size } = cache.stats;
      assert(size >= 0);
      for (let n = 0; n < 50; n++) {
        cache.delete(key(n));
        assertEquals(cache.get(key(n)), undefined);
        cache.set(key(n), "new");
        assert([undefined, "new"].includes(cache.get(key(n))));
      }
      cache.clear();
      assertEquals(cache.get(key(1)), undefined);
      clock.advance(70_000);
      cache.sweep();
    }),
    { numRuns: 100 },
  );
  assert(found > 5_000, `${found} entries were found in spite of it`);
});
