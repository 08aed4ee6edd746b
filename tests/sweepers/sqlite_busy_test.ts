import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import sweepSqlite from "../../src/sweepers/sqlite.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDb } from "../support/temp_db.ts";

const NOW = Date.UTC(2026, 0, 31, 12);
const SCHEMA = "CREATE TABLE t (id INTEGER PRIMARY KEY, e INTEGER)";
const expired = (count: number) => Array.from({ length: count }, () => [NOW]);

Deno.test("sweepSqlite() gives up when the database is locked for too long", async () => {
  for (const journal of ["WAL", "DELETE"]) {
    using temp = new TempDb(`PRAGMA journal_mode = ${journal}; ${SCHEMA}`);
    temp.insert("INSERT INTO t (e) VALUES (?)", expired(10));
    temp.db.exec("BEGIN IMMEDIATE");
    const start = performance.now();
    const error = await assertRejects(
      () =>
        sweepSqlite({
          path: temp.path,
          table: "t",
          column: "e",
          now: NOW,
          busyTimeout: 5,
          giveUpAfter: 60,
        }, createTestContext()),
      Deno.errors.Busy,
    );
    // As it was told, and not after the 10 seconds that are usual.
    assert(performance.now() - start < 9_000);
    assert(
      /^Cannot sweep table "t" of .*app\.db: another connection held the lock for \d+ ms, after 0 rows were deleted$/
        .test(error.message),
      error.message,
    );
    temp.db.exec("ROLLBACK");
    assertEquals(temp.all("SELECT count(*) FROM t"), [10]);
  }
});

Deno.test("sweepSqlite() goes on as soon as the lock is free", async () => {
  using temp = new TempDb(`PRAGMA journal_mode = WAL; ${SCHEMA}`);
  temp.insert("INSERT INTO t (e) VALUES (?)", expired(10));
  temp.db.exec("BEGIN IMMEDIATE");
  // Checks for a stop: before the batch, then after each wait.
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count === 4) temp.db.exec("COMMIT");
    },
  });
  const result = await sweepSqlite(
    { path: temp.path, table: "t", column: "e", now: NOW, busyTimeout: 0 },
    ctx,
  );
  assertEquals([result.removed, result.busyRetries], [10, 3]);
});

Deno.test("sweepSqlite() stops at once while it waits for a lock", async () => {
  using temp = new TempDb(SCHEMA);
  temp.insert("INSERT INTO t (e) VALUES (?)", expired(10));
  temp.db.exec("BEGIN IMMEDIATE");
  const reason = new Error("enough");
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      // In the first wait.
      if (count === 1) queueMicrotask(() => queueMicrotask(() => ctx.abort(reason)));
    },
  });
  const error = await assertRejects(() =>
    sweepSqlite(
      { path: temp.path, table: "t", column: "e", now: NOW, busyTimeout: 0, giveUpAfter: Infinity },
      ctx,
    )
  );
  assert(error === reason);
});

Deno.test("sweepSqlite() takes no lock where nothing has expired", async () => {
  using temp = new TempDb(`PRAGMA journal_mode = WAL; ${SCHEMA}`);
  temp.insert("INSERT INTO t (e) VALUES (?)", Array.from({ length: 2000 }, () => [NOW + 1]));
  temp.db.exec("BEGIN IMMEDIATE");
  const result = await sweepSqlite(
    { path: temp.path, table: "t", column: "e", now: NOW, busyTimeout: 0, giveUpAfter: 0 },
    createTestContext(),
  );
  assertEquals([result.removed, result.complete, result.busyRetries], [0, true, 0]);
});

Deno.test("sweepSqlite() leaves the lock to writers between two batches", async () => {
  for (
    const index of ["", "; CREATE INDEX i ON t (e); CREATE TABLE b AS SELECT zeroblob(30000000)"]
  ) {
    using temp = new TempDb(`PRAGMA journal_mode = WAL; ${SCHEMA}${index}`);
    temp.insert("INSERT INTO t (e) VALUES (?)", expired(3000));
    let written = 0;
    const ctx = createTestContext({
      onCheckpoint: () => {
        // This connection does not wait: it throws if the lock is held.
        temp.db.prepare("INSERT INTO t (e) VALUES (?)").run(NOW + 1);
        written++;
      },
    });
    const input = { path: temp.path, table: "t", column: "e", now: NOW, pause: 0 };
    const result = await sweepSqlite(input, ctx);
    assertEquals([result.removed, temp.all("SELECT count(*) FROM t")], [3000, [written]]);
    assert(written > 2);
  }
});

Deno.test("sweepSqlite() leaves the database consistent and closed when it is stopped", async () => {
  for (const journal of ["WAL", "DELETE"]) {
    using temp = new TempDb(`PRAGMA journal_mode = ${journal}; ${SCHEMA}`);
    temp.insert("INSERT INTO t (e) VALUES (?)", expired(5000));
    const reason = new Error("enough");
    const ctx = createTestContext({
      onCheckpoint: (count) => {
        if (count === 4) ctx.abort(reason);
      },
    });
    const input = { path: temp.path, table: "t", column: "e", now: NOW };
    const error = await assertRejects(() => sweepSqlite(input, ctx));
    assert(error === reason);
    const [left] = temp.all("SELECT count(*) FROM t");
    assert(Number(left) > 0 && Number(left) < 5000, `${left} rows are left`);
    assertEquals(ctx.logged.map(({ level, message }) => [level, message]), [
      ["info", `Stopped sweeping ${temp.path}: ${5000 - Number(left)} rows were deleted`],
    ]);
    assertEquals(temp.all("PRAGMA integrity_check"), ["ok"]);
    // Leaving WAL takes the only connection there is.
    assertEquals(temp.all("PRAGMA journal_mode = DELETE"), ["delete"]);
  }
});

Deno.test("sweepSqlite() keeps the write-ahead log small", async () => {
  const sizes: number[] = [];
  for (const checkpoint of ["truncate", false] as const) {
    using temp = new TempDb(`PRAGMA journal_mode = WAL; CREATE TABLE t (e INTEGER, v TEXT)`);
    const value = "x".repeat(500);
    temp.insert("INSERT INTO t VALUES (?, ?)", Array.from({ length: 5000 }, () => [NOW, value]));
    temp.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    let largest = 0;
    const ctx = createTestContext({
      onCheckpoint: () => largest = Math.max(largest, temp.logSize),
    });
    const input = { path: temp.path, table: "t", column: "e", now: NOW, batchTarget: 1, pause: 0 };
    const result = await sweepSqlite({ ...input, checkpoint }, ctx);
    assertEquals(result.removed, 5000);
    assertEquals(result.checkpoints > 0, checkpoint !== false);
    sizes.push(temp.logSize);
    assert(largest > 0);
  }
  assertEquals(sizes[0], 0);
  assert(sizes[1]! > 0);
});

Deno.test("sweepSqlite() leaves no log when a checkpoint came right before its last batch", async () => {
  using temp = new TempDb(`PRAGMA journal_mode = WAL; ${SCHEMA}`);
  temp.insert("INSERT INTO t (e) VALUES (?)", expired(1000));
  const { now } = performance;
  let time = now.call(performance);
  // Each batch seems to take for ever, so they shrink: 256, 128, ... 1, 1, of which the tenth is followed
  // by a checkpoint, and 1.
  performance.now = () => time += 1_000;
  try {
    const input = { path: temp.path, table: "t", column: "e", now: NOW, maxRows: 513, pause: 0 };
    const result = await sweepSqlite(input, createTestContext());
    assertEquals([result.batches, result.removed, result.checkpoints], [11, 513, 2]);
  } finally {
    performance.now = now;
  }
  assertEquals(temp.logSize, 0);
});

Deno.test("sweepSqlite() goes on when a reader stands in the way of a checkpoint", async () => {
  using temp = new TempDb(`PRAGMA journal_mode = WAL; ${SCHEMA}`);
  temp.insert("INSERT INTO t (e) VALUES (?)", expired(1000));
  using reader = new DatabaseSync(temp.path);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM t").get();
  const input = { path: temp.path, table: "t", column: "e", now: NOW, busyTimeout: 1 };
  const result = await sweepSqlite(input, createTestContext());
  assertEquals([result.removed, result.checkpoints, result.blockedCheckpoints], [1000, 0, 1]);
  assertEquals(reader.prepare("SELECT count(*) AS n FROM t").get()?.n, 1000);
  reader.exec("COMMIT");
});
