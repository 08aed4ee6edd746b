import { assert, assertEquals, assertRejects } from "@std/assert";
import sweepFiles, { bucketPath, type FilesSweepInput } from "../../src/sweepers/files.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDir } from "../support/temp_dir.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 31, 12);
const OLD = bucketPath(NOW - 1, { width: HOUR });
const OLDER = bucketPath(NOW - HOUR - 1, { width: HOUR });
const LIVE = bucketPath(NOW, { width: HOUR });

function sweep(
  dir: TempDir,
  options: Partial<FilesSweepInput> = {},
  ctx = createTestContext(),
) {
  return sweepFiles({ dir: dir.path, buckets: true, now: NOW, ...options }, ctx);
}

/** A folder with files in some buckets. */
function folder(buckets: Record<string, number>): TempDir {
  const dir = new TempDir();
  for (const [bucket, files] of Object.entries(buckets)) {
    for (let index = 0; index < files; index++) dir.file(`${bucket}/${index}`);
  }
  return dir;
}

for (const slice of [0, 20]) {
  Deno.test(`sweepFiles() removes buckets that have ended, and nothing else: slice ${slice}`, async () => {
    using dir = folder({ [OLD]: 3, [OLDER]: 2, [LIVE]: 2 });
    dir.file(`${OLD}/a/b/deep`);
    dir.file(`${OLD}/a/deeper/c/deep`);
    Deno.mkdirSync(dir.at(`${OLD}/empty`));
    dir.file("other", { age: 1e12 });
    dir.file("folder/other", { age: 1e12 });
    const result = await sweep(dir, { slice });
    assertEquals(dir.tree(), [
      `${LIVE}/`,
      `${LIVE}/0`,
      `${LIVE}/1`,
      "folder/",
      "folder/other",
      "other",
    ]);
    const { scanned, matched, removed, kept, vanished, removedBytes, keptBytes } = result;
    assertEquals([scanned, matched, removed, kept, vanished], [7, 7, 7, 0, 0]);
    assertEquals([removedBytes, keptBytes], [null, null]);
    const { removedBuckets, keptBuckets, skippedNames, removedDirs, failed } = result;
    assertEquals([removedBuckets, keptBuckets, skippedNames, removedDirs, failed], [2, 1, 2, 5, 0]);
    // The oldest first, by the names that the user knows.
    assertEquals(result.sample.slice(0, 2).sort(), [`${OLDER}/0`, `${OLDER}/1`]);
    assertEquals(result.sample.length, 7);
    assert(result.sample.includes(`${OLD}/a/b/deep`), Deno.inspect(result.sample));
  });
}

Deno.test("sweepFiles() removes a bucket when its end has come, and not a millisecond before", async () => {
  for (const width of [1, 1000, HOUR, { days: 1 }, { weeks: 1 }]) {
    const bucket = bucketPath(NOW + 5, { width });
    const [start, end] = bucket.split(/[-.]/).map(Number) as [number, number];
    for (
      const [now, olderThan, goes] of [
        [start - 1, 0, false],
        [start, 0, false],
        [end - 1, 0, false],
        [end, 0, true],
        [end, 1, false],
        [end + 999, { seconds: 1 }, false],
        [end + 1000, { seconds: 1 }, true],
      ] as const
    ) {
      using dir = folder({ [bucket]: 1 });
      const result = await sweep(dir, { now, olderThan });
      assertEquals(dir.tree().length, goes ? 0 : 2, `${now - end} ms after the end`);
      assertEquals([result.removedBuckets, result.keptBuckets], goes ? [1, 0] : [0, 1]);
    }
  }
});

Deno.test("sweepFiles() knows the end of a bucket also when the width has changed since", async () => {
  const widths = [{ minutes: 5 }, { hours: 1 }, { days: 1 }, { weeks: 1 }];
  using dir = new TempDir();
  // All of them hold the present.
  const buckets = widths.map((width) => bucketPath(NOW + 1, { width }));
  for (const bucket of buckets) dir.file(`${bucket}/file`);
  assertEquals((await sweep(dir)).keptBuckets, 4);
  assertEquals((await sweep(dir, { now: NOW + 300_000 })).removedBuckets, 1);
  assertEquals((await sweep(dir, { now: NOW + HOUR })).removedBuckets, 1);
  assertEquals(dir.tree().filter((path) => path.endsWith("/")), [
    `${buckets[3]}/`,
    `${buckets[2]}/`,
  ]);
});

Deno.test("sweepFiles() leaves names alone that only look like buckets", async () => {
  const names = [
    "1764518400000-1764522000000",
    "1764518400000-1764522000000.buckets",
    "1764518400000-1764522000000.bucket ",
    "1764518400000-1764522000000.bucket\n",
    "1764518400000-1764522000000.BUCKET",
    "1764518400000-1764522000000.bucket.removing.removing",
    "1764518400000-1764522000000.bucket.removing~",
    "x1764518400000-1764522000000.bucket",
    "-1764518400000-1764522000000.bucket",
    "1764518400000_1764522000000.bucket",
    // Not aligned to its width, no width, backwards, too few and too many digits.
    "1764518400001-1764522000000.bucket",
    "1764518400000-1764518400000.bucket",
    "1764522000000-1764518400000.bucket",
    "176451840000-176452200000.bucket",
    "17645184000000-17645220000000.bucket",
    "0000000000000-1764522000000.bucket",
    "1764518400000-176452200000٠.bucket",
    "2024-2025.bucket",
    "removing",
  ];
  using dir = new TempDir();
  for (const name of names) dir.file(`${name}/file`);
  dir.file("1764518400000-1764525600000.bucket");
  const before = dir.tree();
  const result = await sweep(dir);
  assertEquals(dir.tree(), before);
  assertEquals([result.skippedNames, result.scanned], [names.length + 1, 0]);
});

Deno.test("sweepFiles() does not look for buckets below its root", async () => {
  using dir = folder({ [`${LIVE}/${OLD}`]: 1, [`folder/${OLD}`]: 1 });
  const result = await sweep(dir);
  assertEquals([result.removedBuckets, result.keptBuckets, result.skippedNames], [0, 1, 1]);
  assertEquals(dir.tree().length, 6);
});

Deno.test("sweepFiles() with buckets removes nothing in a dry run, and tells what would go", async () => {
  using dir = folder({ [OLD]: 3, [OLDER]: 2, [`${OLDER}/sub`]: 2, [LIVE]: 2 });
  const before = dir.tree();
  const forecast = await sweep(dir, { dryRun: true });
  assertEquals(dir.tree(), before);
  const result = await sweep(dir);
  assertEquals({ ...forecast, dryRun: false, durationMs: 0, sample: [] }, {
    ...result,
    durationMs: 0,
    sample: [],
  });
  assertEquals(forecast.sample.toSorted(), result.sample.toSorted());
  assertEquals([result.removed, result.removedBuckets, result.removedDirs], [7, 2, 1]);
});

Deno.test("sweepFiles() goes on with a bucket in the midst of which it was stopped", async () => {
  const total = 10;
  // Whatever the moment of the stop.
  for (let moment = 1; moment <= 2 * total; moment++) {
    using dir = folder({ [OLD]: total, [LIVE]: 1 });
    const reason = new Error("enough");
    const ctx = createTestContext({
      onCheckpoint: (count) => {
        if (count === moment) ctx.abort(reason);
      },
    });
    const error = await assertRejects(() => sweep(dir, { slice: 0 }, ctx));
    assert(error === reason);
    const left = dir.tree().filter((path) => !path.startsWith(LIVE) && !path.endsWith("/")).length;
    assertEquals(
      ctx.logged.map(({ message }) => message.replace(/of \d+ files/, "of … files")),
      [
        `Stopped sweeping ${Deno.realPathSync(dir.path)}: ${total - left} of … files seen were ` +
        "removed",
      ],
    );
    const result = await sweep(dir);
    assertEquals([result.removed, result.removedBuckets, result.keptBuckets], [left, 1, 1]);
    assertEquals(dir.tree(), [`${LIVE}/`, `${LIVE}/0`]);
  }
});

Deno.test("sweepFiles() removes what a crash has left over, and the bucket made anew beside it", async () => {
  using dir = folder({ [OLD]: 2, [`${OLD}.removing`]: 3, [`${LIVE}.removing`]: 1 });
  const result = await sweep(dir);
  assertEquals([result.removed, result.removedBuckets, result.failed], [5, 2, 0]);
  // Never early, not even this.
  assertEquals(dir.tree(), [`${LIVE}.removing/`, `${LIVE}.removing/0`]);
});

Deno.test("sweepFiles() takes the bucket away from writers before it removes anything", async () => {
  using dir = folder({ [OLD]: 5 });
  let refused = 0;
  const ctx = createTestContext({
    onCheckpoint: () => {
      const isSeized = dir.tree().includes(`${OLD}.removing/`);
      if (!isSeized) return;
      try {
        dir.file(`${OLD}.removing/late`); // As if through a handle of the folder.
        Deno.writeTextFileSync(dir.at(`${OLD}/new`), "");
      } catch (error) {
        assert(error instanceof Deno.errors.NotFound);
        refused++;
      }
    },
  });
  const result = await sweep(dir, { slice: 0 }, ctx);
  assert(refused > 2);
  // What was written meanwhile keeps the folder until the next sweep; it is no failure.
  assertEquals([result.removed, result.removedBuckets, result.keptBuckets], [5, 0, 1]);
  assertEquals([result.failed, dir.tree()], [0, [`${OLD}.removing/`, `${OLD}.removing/late`]]);
  assertEquals([(await sweep(dir)).removed, dir.tree()], [1, []]);
});

Deno.test("sweepFiles() with buckets copes with another sweep at the same time", async () => {
  for (const slice of [0, 20]) {
    using dir = folder({ [OLD]: 50, [OLDER]: 50, [`${OLDER}/sub`]: 50, [LIVE]: 1 });
    const results = await Promise.all([0, 0, 0].map(() => sweep(dir, { slice })));
    assertEquals(dir.tree(), [`${LIVE}/`, `${LIVE}/0`]);
    assertEquals(results.map(({ failures }) => failures), [[], [], []]);
    const removed = results.reduce((sum, result) => sum + result.removed, 0);
    assertEquals(removed, 150);
    for (const { matched, removed, kept, vanished } of results) {
      assertEquals(matched, removed + kept + vanished);
    }
  }
});
