import { assert, assertEquals } from "@std/assert";
import { every, Scheduler, type SchedulerEvent } from "../../mod.ts";
import { bucketPath } from "../../src/sweepers/files.ts";
import { bucketTable } from "../../src/sweepers/sqlite.ts";
import { TempDb } from "../support/temp_db.ts";
import { TempDir } from "../support/temp_dir.ts";

const HOURLY = every({ hours: 1 });

Deno.test("a scheduler runs the files sweeper, and cancels it in the midst of a folder", async () => {
  using dir = new TempDir();
  for (let index = 0; index < 3000; index++) dir.file(`${index}`, { age: 1000 });
  const owner = new AbortController();
  const told: SchedulerEvent["type"][] = [];
  await using scheduler = new Scheduler({
    signal: owner.signal,
    onEvent: (event) => {
      told.push(event.type);
      if (event.type !== "run-progress" || event.done === 0 || told.includes("run-ended")) return;
      void task.cancel(new Error("enough"));
    },
  });
  const task = scheduler.add<typeof import("../../src/sweepers/files.ts")>(
    import.meta.resolve("../../src/sweepers/files.ts"),
    {
      schedule: HOURLY,
      permissions: { read: [dir.path], write: [dir.path] },
      input: { dir: dir.path, olderThan: 0, slice: 0 },
    },
  );
  const cancelled = await task.trigger();
  const left = dir.tree().length;
  assertEquals([cancelled.outcome, cancelled.ending], ["cancelled", "threw"]);
  assert(left > 0 && left < 3000, `${left} of 3000 files are left`);
  assert(told.includes("run-log"), Deno.inspect(told));

  const { outcome, value } = await task.trigger({ dir: dir.path, olderThan: 0, slice: 60_000 });
  assertEquals([outcome, value?.removed, dir.tree()], ["succeeded", left, []]);
});

Deno.test("a scheduler sweeps buckets, and cancels it in the midst of one that is large", async () => {
  using dir = new TempDir();
  const bucket = bucketPath(Date.now() - 2000, { width: { seconds: 1 } });
  const live = bucketPath(Date.now() + 3_600_000, { width: { minutes: 1 } });
  dir.file(`${live}/file`);
  for (let index = 0; index < 3000; index++) dir.file(`${bucket}/${index}`);
  const owner = new AbortController();
  let isCancelled = false;
  await using scheduler = new Scheduler({
    signal: owner.signal,
    onEvent: (event) => {
      if (event.type !== "run-progress" || event.done === 0 || isCancelled) return;
      isCancelled = true;
      void task.cancel(new Error("enough"));
    },
  });
  const task = scheduler.add<typeof import("../../src/sweepers/files.ts")>(
    import.meta.resolve("../../src/sweepers/files.ts"),
    {
      schedule: HOURLY,
      permissions: { read: [dir.path], write: [dir.path] },
      input: { dir: dir.path, buckets: true, slice: 0 },
    },
  );
  const cancelled = await task.trigger();
  const left = dir.tree(`${bucket}.removing/`).length;
  assertEquals([cancelled.outcome, cancelled.ending], ["cancelled", "threw"]);
  assert(left > 0 && left < 3000, `${left} of 3000 files are left`);

  const { value } = await task.trigger({ dir: dir.path, buckets: true, slice: 60_000 });
  assertEquals([value?.removed, value?.removedBuckets, value?.keptBuckets], [left, 1, 1]);
  assertEquals(dir.tree(), [`${live}/`, `${live}/file`]);
});

Deno.test("a scheduler runs the sqlite sweeper, and stops it between two batches", async () => {
  using temp = new TempDb("PRAGMA journal_mode = WAL; CREATE TABLE t (e INTEGER)");
  const expired = Date.now() - 1000;
  temp.insert("INSERT INTO t VALUES (?)", Array.from({ length: 5000 }, () => [expired]));
  const { path } = temp;
  const input = { path, table: "t", column: "e", pause: 60_000 };
  const owner = new AbortController();
  await using scheduler = new Scheduler({
    signal: owner.signal,
    onEvent: (event) => {
      if (event.type === "run-progress") owner.abort();
    },
  });
  const task = scheduler.add<typeof import("../../src/sweepers/sqlite.ts")>(
    import.meta.resolve("../../src/sweepers/sqlite.ts"),
    { schedule: HOURLY, permissions: { read: [path], write: [path] }, input },
  );
  const { outcome } = await task.trigger();
  await scheduler.finished;
  assertEquals([outcome, temp.all("SELECT count(*) FROM t")], ["aborted", [5000 - 256]]);
});

Deno.test("a scheduler sweeps bucket tables, and stops between two of them", async () => {
  const at = (age: number) => bucketTable("t", Date.now() - age, { width: 1000 });
  const tables = Array.from({ length: 50 }, (_, index) => at((index - 1) * 3_600_000));
  using temp = new TempDb(
    `PRAGMA journal_mode = WAL; ${tables.map((name) => `CREATE TABLE ${name} (v);`).join("")}`,
  );
  const { path } = temp;
  const owner = new AbortController();
  await using scheduler = new Scheduler({
    signal: owner.signal,
    onEvent: (event) => {
      if (event.type === "run-progress") owner.abort();
    },
  });
  const task = scheduler.add<typeof import("../../src/sweepers/sqlite.ts")>(
    import.meta.resolve("../../src/sweepers/sqlite.ts"),
    {
      schedule: HOURLY,
      permissions: { read: [path], write: [path] },
      input: { path, table: "t", buckets: true, batchTarget: 1, pause: 60_000 },
    },
  );
  const { outcome } = await task.trigger();
  await scheduler.finished;
  const [left] = temp.all("SELECT count(*) FROM sqlite_schema");
  assertEquals(outcome, "aborted");
  assert(Number(left) > 10 && Number(left) < 50, `${left} of 50 tables are left`);
});
