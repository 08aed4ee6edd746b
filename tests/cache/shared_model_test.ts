import { assert, assertEquals } from "@std/assert";
import fc from "npm:fast-check@4";
import { guardTests } from "../../src/testing/mod.ts";
import { Model, participants } from "../support/shared_model.ts";

guardTests();

/** One thing that somebody does. */
const step = (keys: number, longest: number) => {
  const who = fc.nat(2);
  const key = fc.nat(keys - 1).map((n) => `key ${n}`);
  const ttl = fc.constantFrom(1, 16, 100, 1_000, 5_000, 60_000, Infinity);
  const value = fc.integer({ min: 1, max: 255 });
  return fc.oneof(
    {
      weight: 16,
      arbitrary: fc.record({
        kind: fc.constant("set" as const),
        who,
        key,
        ttl,
        value,
        length: fc.nat(longest),
      }),
    },
    { weight: 16, arbitrary: fc.record({ kind: fc.constant("get" as const), who, key }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), who, key }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("wait" as const),
        by: fc.constantFrom(1, 15, 16, 50, 999, 4_000, 70_000),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("sweep" as const), who }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const), who }) },
  );
};

type Step = ReturnType<typeof step> extends fc.Arbitrary<infer Value> ? Value : never;

/** Does the steps with three participants and the model, and compares each lookup. */
function run(
  steps: Step[],
  options: Parameters<typeof participants>[1],
  compare: (found: unknown, expected: unknown) => void,
) {
  const { parts, clock } = participants(3, options);
  const model = new Model();
  for (const step of steps) {
    const now = clock.monotonic();
    const part = parts["who" in step ? step.who : 0]!;
    if (step.kind === "set") {
      const { key, value, ttl } = step;
      // An empty value would not show whose it is.
      const length = step.length + 1;
      part.set(key, value, length, ttl);
      model.set(key, value, length, ttl, now);
    } else if (step.kind === "get") {
      compare(part.get(step.key), model.get(step.key, now));
    } else if (step.kind === "delete") {
      const was = model.get(step.key, now) !== undefined;
      compare(part.delete(step.key) || undefined, was || undefined);
      model.delete(step.key);
      assertEquals(part.get(step.key), undefined);
    } else if (step.kind === "wait") clock.advance(step.by);
    else if (step.kind === "sweep") part.store.sweep();
    else {
      part.store.clear();
      model.clear();
      assertEquals(part.store.size(), 0);
    }
  }
  return { parts, model, now: clock.monotonic() };
}

Deno.test("three participants with room for all behave like one plain map", () => {
  fc.assert(
    fc.property(fc.array(step(12, 300), { maxLength: 120 }), (steps) => {
      const { parts, model, now } = run(steps, { maxBytes: 2 ** 20 }, assertEquals);
      const { living, all } = model.sizes(now);
      const size = parts[0]!.store.size();
      assert(living <= size && size <= all, `${living} <= ${size} <= ${all}`);
    }),
    { numRuns: 150 },
  );
});

Deno.test("with far too little room, an entry may be missing, but none is wrong, and size stays exact", () => {
  const options = { maxBytes: 128 * 1024, segmentShift: 12, buckets: 8 };
  const steps = fc.array(step(200, 900), { minLength: 200, maxLength: 800, size: "max" });
  fc.assert(
    fc.property(steps, (steps) => {
      const { parts, now, model } = run(steps, options, (found, expected) => {
        if (found !== undefined) assertEquals(found, expected);
      });
      const { store } = parts[0]!;
      const found = Array.from({ length: 200 }, (_, i) => `key ${i}`)
        .filter((key) => parts[1]!.get(key) !== undefined);
      for (const key of found) assertEquals(parts[2]!.get(key), model.get(key, now));
      assert(store.size() >= found.length, `${store.size()} >= ${found.length}`);
      for (const key of found) parts[0]!.delete(key);
      // What has expired is all that may be left.
      const rest = store.size();
      store.sweep();
      assert(store.size() <= rest);
    }),
    { numRuns: 25 },
  );
});

Deno.test("segments are used again and again, for more data than the epochs of a tag can tell apart", () => {
  const { parts } = participants(3, { maxBytes: 128 * 1024, segmentShift: 12, buckets: 64 });
  const last = new Map<string, number>();
  for (let i = 0; i < 60_000; i++) {
    const key = `${i * 7919 % 500}`;
    const value = i % 255 + 1;
    parts[i % 3]!.set(key, value, 400, Infinity);
    last.set(key, value);
    const other = `${i * 31 % 500}`;
    const found = parts[(i + 1) % 3]!.get(other);
    if (found !== undefined) assertEquals(found.value, last.get(other));
    assertEquals(parts[(i + 2) % 3]!.get(key)?.value, value, "what was set just now is there");
  }
  const { store } = parts[0]!;
  const found = [...last.keys()].filter((key) => parts[0]!.get(key) !== undefined);
  assertEquals(store.size(), found.length);
  assert(found.length > 100, `${found.length} of 500`);
});
