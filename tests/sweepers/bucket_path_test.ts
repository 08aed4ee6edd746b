import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "npm:fast-check@4";
import {
  bucketOf,
  type BucketOptions,
  bucketPath,
  expiringName,
  expiryOf,
} from "../../src/sweepers/files.ts";
import sweepFiles from "../../src/sweepers/files.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDir } from "../support/temp_dir.ts";

const FIRST = 1e12;
const LAST = 1e13 - 1;
const HOUR = 3_600_000;

Deno.test("bucketPath() names the stretch of time that an expiry lies in", () => {
  const at = (expiry: number | Date) => bucketPath(expiry, { width: { hours: 1 } });
  const bucket = "1764518400000-1764522000000.bucket";
  assertEquals(at(1_764_518_400_000), bucket);
  assertEquals(at(new Date(1_764_521_999_999)), bucket);
  assertEquals(at(1_764_521_999_999.9), bucket);
  assertEquals(at(1_764_522_000_000), "1764522000000-1764525600000.bucket");
  assertEquals(at(1_764_518_399_999.9), "1764514800000-1764518400000.bucket");
  assertEquals(
    bucketPath(Date.UTC(2026, 0, 31, 23, 59), { width: Temporal.Duration.from({ days: 1 }) }),
    `${Date.UTC(2026, 0, 31)}-${Date.UTC(2026, 1, 1)}.bucket`,
  );
});

Deno.test("bucketOf() reads what bucketPath() wrote, with folders before it, and nothing else", () => {
  const bucket = { start: 1_764_518_400_000, end: 1_764_522_000_000 };
  const path = bucketPath(bucket.start, { width: HOUR });
  for (const before of ["", "/", "a/b/", "a\\b\\", "a\n/"]) {
    assertEquals(bucketOf(before + path), bucket);
  }
  for (const after of ["/", "/file", "\n", ".removing", ".bucket"]) {
    assertEquals(bucketOf(path + after), undefined);
  }
  assertEquals(bucketOf(`x${path}`), undefined);
  assertEquals(bucketOf("1764518400001-1764522000000.bucket"), undefined);
  assertEquals(bucketOf(""), undefined);
  // Neither takes the names of the other one.
  assertEquals(expiryOf(path), undefined);
  assertEquals(bucketOf(expiringName("x", bucket.start)), undefined);
});

Deno.test("bucketPath() refuses what makes no bucket, with one clear error", () => {
  for (const expiry of [0, FIRST - 1, LAST, 1e13, NaN, Infinity, -1, new Date(NaN)]) {
    assertThrows(
      () => bucketPath(expiry, { width: HOUR }),
      RangeError,
      "Cannot build the path of a bucket: expiry must be milliseconds since the epoch",
    );
  }
  for (const expiry of ["1764518400000", undefined, null, {}, 5n]) {
    assertThrows(() => bucketPath(expiry as number, { width: HOUR }), RangeError, "expiry must be");
  }
  for (const options of [undefined, null, {}, HOUR, { widht: HOUR }]) {
    assertThrows(
      () => bucketPath(FIRST, options as unknown as BucketOptions),
      TypeError,
      "expected the option width, as in { width: { hours: 1 } }",
    );
  }
  for (const width of [0, -1, 0.5, NaN, Infinity]) {
    assertThrows(() => bucketPath(FIRST, { width }), RangeError, "as width");
  }
  assertThrows(() => bucketPath(FIRST, { width: 1.5 }), RangeError, "whole number of milliseconds");
  assertThrows(
    () => bucketPath(FIRST, { width: "1h" as unknown as number }),
    TypeError,
    "as width",
  );
  // The first bucket of a century begins before 2001.
  assertThrows(() => bucketPath(FIRST, { width: { weeks: 5200 } }), RangeError, "and its bucket");
});

Deno.test("bucketPath() puts any expiry into a bucket that holds it and has the width", () => {
  const expiry = fc.double({ min: 1.2e12, max: 9e12, noNaN: true });
  const width = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 1e11 }));
  fc.assert(fc.property(expiry, width, (expiry, width) => {
    const { start, end } = bucketOf(bucketPath(expiry, { width }))!;
    assert(start <= expiry && expiry < end, `${expiry} is not from ${start} to ${end}`);
    assertEquals([end - start, start % width], [width, 0]);
  }));
});

Deno.test("sweeps of buckets never remove what has not expired, and finally all that has", async () => {
  const step = fc.record({
    advance: fc.integer({ min: 0, max: 40 }),
    writes: fc.array(
      fc.record({ ttl: fc.integer({ min: -20, max: 60 }), width: fc.integer({ min: 1, max: 30 }) }),
      { maxLength: 6 },
    ),
    olderThan: fc.constantFrom(0, 0, 5),
    slice: fc.constantFrom(0, 20),
    stopAt: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      using dir = new TempDir();
      const files: { path: string; expiry: number; end: number; wasDue: boolean }[] = [];
      let now = 1_764_518_400_000;
      for (const { advance, writes, olderThan, slice, stopAt } of steps) {
        now += advance;
        for (const { ttl, width } of writes) {
          const bucket = bucketPath(now + ttl, { width });
          const path = `${bucket}/${files.length}`;
          dir.file(path);
          files.push({ path, expiry: now + ttl, end: bucketOf(bucket)!.end, wasDue: false });
        }
        const ctx = createTestContext({
          onCheckpoint: (count) => {
            if (count === stopAt) ctx.abort(new Error("enough"));
          },
        });
        const input = { dir: dir.path, buckets: true, now, olderThan, slice };
        const result = await sweepFiles(input, ctx).catch((error: Error) => {
          if (error.message !== "enough") throw error;
        });
        const there = new Set(dir.tree().map((path) => path.replace(".removing", "")));
        for (const file of files) {
          const isDue = file.end <= now - olderThan;
          file.wasDue ||= isDue;
          assert(!file.wasDue || file.expiry < now, `${file.path} is due at ${now}`);
          if (!file.wasDue) assert(there.has(file.path), `${file.path} is gone at ${now}`);
          else if (isDue && result) assert(!there.has(file.path), `${file.path} is left at ${now}`);
        }
      }
      await sweepFiles({ dir: dir.path, buckets: true, now: now + 100 }, createTestContext());
      assertEquals(dir.tree(), []);
    }),
    { numRuns: 30 },
  );
});
