import { assert, assertEquals, assertRejects } from "@std/assert";
import { bucketPath, expiringName, type FilesSweepResult } from "../../src/sweepers/files.ts";
import { callInWorker } from "../support/call_in_worker.ts";
import { TempDir } from "../support/temp_dir.ts";

const MODULE = import.meta.resolve("../../src/sweepers/files.ts");

Deno.test("the files sweeper needs no more than read and write for its folder", async () => {
  using dir = new TempDir();
  dir.file("a/old", { age: 1000 });
  dir.file("b/new", { age: 0 });
  Deno.symlinkSync("/etc", dir.at("a/link"));
  const result = await callInWorker<FilesSweepResult>(
    MODULE,
    { dir: dir.path, olderThan: 500, maxFiles: 0, removeEmptyDirs: true, emptyDirAge: 0 },
    { read: [dir.path], write: [dir.path] },
  );
  assertEquals([result.removed, result.removedDirs, result.failed], [2, 1, 0]);
  assertEquals(dir.tree(), ["a/", "a/link"]);
});

Deno.test("the files sweeper works through a link when only the link is permitted", async () => {
  using dir = new TempDir();
  dir.file("real/a/old", { age: 1000 });
  const link = dir.at("link");
  Deno.symlinkSync(dir.at("real"), link);
  const result = await callInWorker<FilesSweepResult>(
    MODULE,
    { dir: link, olderThan: 0 },
    { read: [link], write: [link] },
  );
  assertEquals([result.removed, result.failures], [1, []]);
});

Deno.test("the files sweeper needs no write permission for a dry run", async () => {
  using dir = new TempDir();
  dir.file("old", { age: 1000 });
  const input = { dir: dir.path, olderThan: 0, dryRun: true };
  const result = await callInWorker<FilesSweepResult>(MODULE, input, { read: [dir.path] });
  assertEquals([result.removed, dir.tree()], [1, ["old"]]);
});

Deno.test("the files sweeper reports what it may not write or read, and goes on", async () => {
  using dir = new TempDir();
  dir.file("open/old", { age: 1000 });
  dir.file("shut/old", { age: 1000 });
  const input = { dir: dir.path, olderThan: 0, removeEmptyDirs: true, emptyDirAge: 0 };
  const result = await callInWorker<FilesSweepResult>(
    MODULE,
    input,
    { read: [dir.path], write: [dir.at("open")] },
  );
  assertEquals(dir.tree(), ["shut/", "shut/old"]);
  assertEquals([result.removed, result.failed, result.failures[0]!.path], [1, 1, "shut/old"]);
  assert(result.failures[0]!.error.startsWith("NotCapable: "), result.failures[0]!.error);
});

Deno.test("the files sweeper tells which permissions it lacks", async () => {
  using dir = new TempDir();
  await assertRejects(
    () => callInWorker(MODULE, { dir: dir.path, olderThan: 0 }, "none"),
    Error,
    "the task needs the permissions { read: [dir], write: [dir] }",
  );
});

Deno.test("the files sweeper hears a stop message while it works", async () => {
  using dir = new TempDir();
  for (let index = 0; index < 3000; index++) dir.file(expiringName(`${index}`, 1e12));
  await assertRejects(
    () =>
      callInWorker(
        MODULE,
        { dir: dir.path, ageFrom: "name", slice: 1 },
        { read: [dir.path], write: [dir.path] },
        1,
      ),
    Error,
    "stopped by message",
  );
  const left = dir.tree().length;
  assert(left > 0 && left < 3000, `${left} of 3000 files are left`);
});

Deno.test("the files sweeper removes buckets with no more than read and write for its folder", async () => {
  using dir = new TempDir();
  const now = Date.UTC(2026, 0, 31);
  const [old, live] = [now - 1, now].map((expiry) => bucketPath(expiry, { width: { hours: 1 } }));
  dir.file(`${old}/sub/file`);
  Deno.symlinkSync("/etc", dir.at(`${old}/link`));
  dir.file(`${live}/file`);
  const input = { dir: dir.path, buckets: true, now };
  const forecast = await callInWorker<FilesSweepResult>(
    MODULE,
    { ...input, dryRun: true },
    { read: [dir.path] },
  );
  const result = await callInWorker<FilesSweepResult>(
    MODULE,
    input,
    { read: [dir.path], write: [dir.path] },
  );
  for (const { removed, removedBuckets, keptBuckets, failures } of [forecast, result]) {
    assertEquals([removed, removedBuckets, keptBuckets, failures], [2, 1, 1, []]);
  }
  assertEquals(dir.tree(), [`${live}/`, `${live}/file`]);
});
