import { assert, assertEquals, assertRejects } from "@std/assert";
import sweepFiles, { expiringName } from "../../src/sweepers/files.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDir } from "../support/temp_dir.ts";

const DAY = 86_400_000;

Deno.test("sweepFiles() removes the files that are old enough, in all folders", async () => {
  using dir = new TempDir();
  dir.file("old", { age: 8 * DAY, size: 10 });
  dir.file("new", { age: 6 * DAY, size: 20 });
  dir.file("a/b/.old", { age: 9 * DAY, size: 30 });
  dir.file("a/new", { size: 40 });

  const result = await sweepFiles({ dir: dir.path, olderThan: { days: 7 } }, createTestContext());

  assertEquals(dir.tree(), ["a/", "a/b/", "a/new", "new"]);
  assertEquals(
    { ...result, durationMs: 0, sample: result.sample.sort() },
    {
      dir: Deno.realPathSync(dir.path),
      dryRun: false,
      scanned: 4,
      matched: 4,
      removed: 2,
      removedBytes: 40,
      kept: 2,
      keptBytes: 60,
      vanished: 0,
      unknownAge: 0,
      removedDirs: 0,
      removedBuckets: 0,
      keptBuckets: 0,
      skippedNames: 0,
      skippedDirs: 0,
      skippedLinks: 0,
      skippedSpecial: 0,
      failed: 0,
      failures: [],
      sample: ["a/b/.old", "old"],
      durationMs: 0,
    },
  );
  assert(result.durationMs > 0);
});

Deno.test("sweepFiles() removes a file at the very millisecond, and not one before", async () => {
  using dir = new TempDir();
  const mtime = Deno.statSync(dir.file("x", { age: 1000 })).mtime!.getTime();
  const input = { dir: dir.path, olderThan: 1000 };
  assertEquals((await sweepFiles({ ...input, now: mtime + 999 }, createTestContext())).removed, 0);
  assertEquals((await sweepFiles({ ...input, now: mtime + 1000 }, createTestContext())).removed, 1);
});

Deno.test("sweepFiles() keeps files from the future", async () => {
  using dir = new TempDir();
  dir.file("x", { age: -DAY });
  const result = await sweepFiles({ dir: dir.path, olderThan: 0 }, createTestContext());
  assertEquals([result.removed, result.kept], [0, 1]);
});

Deno.test("sweepFiles() takes the age from the last read with ageFrom: atime", async () => {
  using dir = new TempDir();
  const now = Date.now();
  Deno.utimeSync(dir.file("read"), new Date(now), new Date(now - 9 * DAY));
  Deno.utimeSync(dir.file("unread"), new Date(now - 9 * DAY), new Date(now));
  await sweepFiles({ dir: dir.path, olderThan: DAY, ageFrom: "atime" }, createTestContext());
  assertEquals(dir.tree(), ["read"]);
});

Deno.test("sweepFiles() takes the instant from the name with ageFrom: name", async () => {
  using dir = new TempDir();
  const now = 1_764_518_400_000;
  dir.file(expiringName("due", now));
  dir.file(expiringName("due-later", now + 1));
  dir.file("other.exp", { age: 9 * DAY });
  dir.file("report.2024.exp", { age: 9 * DAY });
  const result = await sweepFiles({ dir: dir.path, ageFrom: "name", now }, createTestContext());
  assertEquals(dir.tree(), [expiringName("due-later", now + 1), "other.exp", "report.2024.exp"]);
  assertEquals([result.scanned, result.matched, result.removed, result.kept], [4, 2, 1, 1]);
  assertEquals([result.removedBytes, result.keptBytes], [null, null]);
});

Deno.test("sweepFiles() removes nothing in a dry run, and tells what it would remove", async () => {
  using dir = new TempDir();
  for (let index = 0; index < 30; index++) dir.file(`a/old-${index}`, { age: DAY, size: 2 });
  dir.file("new", { size: 5 });
  const before = dir.tree();
  const input = {
    dir: dir.path,
    olderThan: 1000,
    removeEmptyDirs: true,
    emptyDirAge: 0,
  };
  const forecast = await sweepFiles({ ...input, dryRun: true }, createTestContext());
  assertEquals(dir.tree(), before);
  assertEquals(forecast.dryRun, true);
  assertEquals([forecast.removed, forecast.removedBytes, forecast.removedDirs], [30, 60, 1]);
  assertEquals(forecast.sample.length, 20);

  const real = await sweepFiles(input, createTestContext());
  assertEquals({ ...real, durationMs: 0 }, { ...forecast, dryRun: false, durationMs: 0 });
  assertEquals(dir.tree(), ["new"]);
});

Deno.test("sweepFiles() selects by include and exclude, and does not enter what is excluded", async () => {
  using dir = new TempDir();
  for (const path of ["a.tmp", "a.log", ".b.tmp", "keep/c.tmp", "x/d.tmp", "x/keep/e.tmp"]) {
    dir.file(path, { age: DAY });
  }
  const result = await sweepFiles(
    { dir: dir.path, olderThan: 0, include: ["*.tmp"], exclude: ["keep/", "/x/d.*"] },
    createTestContext(),
  );
  assertEquals(dir.tree(), [
    "a.log",
    "keep/",
    "keep/c.tmp",
    "x/",
    "x/d.tmp",
    "x/keep/",
    "x/keep/e.tmp",
  ]);
  assertEquals([result.scanned, result.matched, result.skippedDirs], [4, 2, 2]);
});

Deno.test("sweepFiles() goes no deeper than maxDepth", async () => {
  using dir = new TempDir();
  for (const path of ["0", "a/1", "a/b/2"]) dir.file(path, { age: DAY });
  const input = { dir: dir.path, olderThan: 0 };
  const first = await sweepFiles({ ...input, maxDepth: 0 }, createTestContext());
  assertEquals([dir.tree(), first.skippedDirs], [["a/", "a/1", "a/b/", "a/b/2"], 1]);
  await sweepFiles({ ...input, maxDepth: 1 }, createTestContext());
  assertEquals(dir.tree(), ["a/", "a/b/", "a/b/2"]);
});

Deno.test("sweepFiles() removes empty folders from the bottom up, but never the root", async () => {
  using dir = new TempDir();
  dir.file("a/b/c/old", { age: DAY });
  dir.file("a/keep/new", { age: 0 });
  dir.file("d/e/old", { age: DAY });
  Deno.mkdirSync(dir.at("empty"));
  Deno.mkdirSync(dir.at("excluded"));
  const result = await sweepFiles({
    dir: dir.path,
    olderThan: 1000,
    removeEmptyDirs: true,
    emptyDirAge: 0,
    exclude: ["excluded"],
  }, createTestContext());
  assertEquals(dir.tree(), ["a/", "a/keep/", "a/keep/new", "excluded/"]);
  assertEquals(result.removedDirs, 5);

  await sweepFiles(
    { dir: dir.path, olderThan: 0, removeEmptyDirs: true, emptyDirAge: 0 },
    createTestContext(),
  );
  assertEquals(dir.tree(), []);
});

Deno.test("sweepFiles() leaves a folder alone that was changed just before the sweep", async () => {
  using dir = new TempDir();
  dir.file("fresh/old", { age: DAY });
  dir.file("settled/old", { age: DAY });
  const past = new Date(Date.now() - 61_000);
  Deno.utimeSync(dir.at("settled"), past, past);
  const result = await sweepFiles(
    { dir: dir.path, olderThan: 1000, removeEmptyDirs: true },
    createTestContext(),
  );
  assertEquals(dir.tree(), ["fresh/"]);
  assertEquals(result.removedDirs, 1);
});

Deno.test("sweepFiles() leaves a folder alone that somebody writes into meanwhile", async () => {
  using dir = new TempDir();
  dir.file("a/old", { age: DAY });
  // 1: finds a. 2: removes a/old. 3: leaves a, and would remove it.
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count === 3) dir.file("a/new");
    },
  });
  const result = await sweepFiles(
    { dir: dir.path, olderThan: 1000, removeEmptyDirs: true, emptyDirAge: 0, slice: Infinity },
    ctx,
  );
  assertEquals(dir.tree(), ["a/", "a/new"]);
  assertEquals([result.removedDirs, result.failed], [0, 0]);
});

Deno.test("sweepFiles() counts files that vanish while it runs, in every way of finding them", async () => {
  for (const how of [{ olderThan: 0 }, { ageFrom: "name" }, { maxFiles: 0 }] as const) {
    using dir = new TempDir();
    const names = Array.from({ length: 100 }, (_, index) => expiringName(`${index}`, 1e12));
    for (const name of names) dir.file(name, { age: DAY, size: 3 });
    // A second sweep is at work: it takes one file for each entry that ours looks at.
    const ctx = createTestContext({
      onCheckpoint: () => {
        const left = dir.tree();
        if (left.length > 0) Deno.removeSync(dir.at(left[left.length >> 1]!));
      },
    });
    const result = await sweepFiles({ dir: dir.path, ...how }, ctx);
    assertEquals(dir.tree(), []);
    assertEquals([result.matched, result.failed, result.kept], [100, 0, 0]);
    assert(result.vanished > 0 && result.removed > 0, Deno.inspect(result));
    assertEquals(result.removed + result.vanished, 100);
  }
});

Deno.test("sweepFiles() does not mind a folder that vanishes while it runs", async () => {
  using dir = new TempDir();
  for (let index = 0; index < 5; index++) dir.file(`a/${index}`, { age: DAY });
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count === 3) Deno.removeSync(dir.at("a"), { recursive: true });
    },
  });
  const result = await sweepFiles({ dir: dir.path, olderThan: 0, slice: Infinity }, ctx);
  assertEquals([result.removed, result.vanished, result.failed], [1, 4, 0]);
});

Deno.test("sweepFiles() reports what it cannot remove, and goes on", async () => {
  using dir = new TempDir();
  for (let index = 0; index < 30; index++) dir.file(expiringName(`${index}`, 1e12));
  dir.file(expiringName("last", 1e12));
  // Removing a folder that is not empty fails for root, too.
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count > 1) return;
      for (let index = 0; index < 30; index++) {
        const path = expiringName(`${index}`, 1e12);
        Deno.removeSync(dir.at(path));
        dir.file(`${path}/x`);
      }
    },
  });
  const result = await sweepFiles({ dir: dir.path, ageFrom: "name" }, ctx);
  assertEquals([result.removed, result.failed, result.kept, result.failures.length], [
    1,
    30,
    30,
    20,
  ]);
  assert(/^\d+\.1000000000000\.exp$/.test(result.failures[0]!.path), result.failures[0]!.path);
  assert(/not empty/i.test(result.failures[0]!.error), result.failures[0]!.error);
  assertEquals(ctx.logged[0]?.level, "warn");
});

Deno.test("sweepFiles() stops at the next entry, and tells how far it got", async () => {
  using dir = new TempDir();
  for (let index = 0; index < 100; index++) dir.file(`${index}`, { age: DAY });
  const reason = new Error("enough");
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count === 41) ctx.abort(reason);
    },
  });
  // Without slices, which end after a time, there is one checkpoint for each file.
  const input = { dir: dir.path, olderThan: 0, slice: Infinity };
  const error = await assertRejects(() => sweepFiles(input, ctx));
  assert(error === reason);
  assertEquals(dir.tree().length, 60);
  assertEquals(
    ctx.logged.map(({ level, message }) => [level, message.replace(/ \S*leash-\S+:/, " DIR:")]),
    [
      ["info", "Stopped sweeping DIR: 40 of 40 files seen were removed"],
    ],
  );
});

Deno.test("sweepFiles() lets the event loop turn between slices", async () => {
  using dir = new TempDir();
  for (let index = 0; index < 20; index++) dir.file(`${index}`, { age: DAY });
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const ctx = createTestContext();
  await sweepFiles({ dir: dir.path, olderThan: 0, slice: 0 }, ctx);
  clearInterval(timer);
  assert(turns > 10, `${turns} turns`);
  assertEquals(ctx.progressed.at(-1), { done: 20, total: 20 });
  assert(ctx.progressed.length > 20);
});

Deno.test("sweepFiles() sweeps 20,000 files within seconds, and checks for a stop at each", async () => {
  using dir = new TempDir();
  const past = new Date(Date.now() - DAY);
  for (let index = 0; index < 20_000; index++) {
    const path = dir.at(`${index}`);
    Deno.writeFileSync(path, new Uint8Array());
    if (index % 2 === 0) Deno.utimeSync(path, past, past);
  }
  const ctx = createTestContext();
  const result = await sweepFiles({ dir: dir.path, olderThan: DAY / 2 }, ctx);
  assertEquals([result.scanned, result.removed, result.kept], [20_000, 10_000, 10_000]);
  assert(ctx.checkpoints > 20_000);
  // Less than a second, where the machine and its disk have time for it.
  assert(result.durationMs < 60_000, `${result.durationMs} ms`);
});

Deno.test("sweepFiles() gives a result that can be sent and written as JSON", async () => {
  using dir = new TempDir();
  dir.file("x");
  const result = await sweepFiles({ dir: dir.path, olderThan: 0 }, createTestContext());
  assertEquals(structuredClone(result), result);
  assertEquals(JSON.parse(JSON.stringify(result)), result);
});
