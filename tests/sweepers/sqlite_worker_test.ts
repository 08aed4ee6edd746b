import { assertEquals, assertRejects } from "@std/assert";
import { bucketTable, type SqliteSweepResult } from "../../src/sweepers/sqlite.ts";
import { callInWorker } from "../support/call_in_worker.ts";
import { TempDb } from "../support/temp_db.ts";

const MODULE = import.meta.resolve("../../src/sweepers/sqlite.ts");
const NOW = Date.UTC(2026, 0, 31, 12);

for (const journal of ["WAL", "DELETE"]) {
  Deno.test(`the sqlite sweeper needs no more than its file: journal mode ${journal}`, async () => {
    using temp = new TempDb(`PRAGMA journal_mode = ${journal}; CREATE TABLE t (e INTEGER)`);
    temp.insert("INSERT INTO t VALUES (?)", [[NOW], [NOW + 1], [NOW - 1]]);
    const { path } = temp;
    const input = { path, table: "t", column: "e", now: NOW };
    const dry = { ...input, dryRun: true };
    const forecast = await callInWorker<SqliteSweepResult>(MODULE, dry, { read: [path] });
    assertEquals(forecast.removed, 2);
    await assertRejects(
      () => callInWorker(MODULE, input, { read: [path] }),
      Error,
      "the task needs the permissions { read: [path], write: [path] }",
    );
    const result = await callInWorker<SqliteSweepResult>(
      MODULE,
      input,
      { read: [path], write: [path] },
    );
    assertEquals([result.removed, temp.all("SELECT e FROM t")], [2, [NOW + 1]]);
  });

  Deno.test(`the sqlite sweeper drops buckets with no more than its file: journal mode ${journal}`, async () => {
    const [old, live] = [NOW - 1, NOW].map((expiry) => bucketTable("t", expiry, { width: 1000 }));
    using temp = new TempDb(
      `PRAGMA journal_mode = ${journal}; CREATE TABLE ${old} (v); CREATE TABLE ${live} (v)`,
    );
    const { path } = temp;
    const input = { path, table: "t", buckets: true, now: NOW };
    const dry = { ...input, dryRun: true };
    const forecast = await callInWorker<SqliteSweepResult>(MODULE, dry, { read: [path] });
    const result = await callInWorker<SqliteSweepResult>(
      MODULE,
      input,
      { read: [path], write: [path] },
    );
    for (const { sample, keptBuckets } of [forecast, result]) {
      assertEquals([sample, keptBuckets], [[old], 1]);
    }
    assertEquals(temp.all("SELECT name FROM sqlite_schema"), [live]);
  });
}

Deno.test("the sqlite sweeper hears a stop message between two batches", async () => {
  using temp = new TempDb("PRAGMA journal_mode = WAL; CREATE TABLE t (e INTEGER)");
  temp.insert("INSERT INTO t VALUES (?)", Array.from({ length: 20_000 }, () => [NOW]));
  const { path } = temp;
  // The long pauses end with the stop.
  const input = { path, table: "t", column: "e", now: NOW, pause: 60_000 };
  await assertRejects(
    () => callInWorker(MODULE, input, { read: [path], write: [path] }, 1),
    Error,
    "stopped by message",
  );
  assertEquals(temp.all("SELECT count(*) FROM t"), [20_000 - 256]);
});
