import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import sweepSqlite, { bucketTable, type SqliteSweepInput } from "../../src/sweepers/sqlite.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDb } from "../support/temp_db.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 31, 12);
const at = (expiry: number, width: number = HOUR) => bucketTable("t", expiry, { width });
const OLD = at(NOW - 1);
const OLDER = at(NOW - HOUR - 1);
const LIVE = at(NOW);

function sweep(
  temp: TempDb,
  options: Partial<SqliteSweepInput> = {},
  ctx = createTestContext(),
) {
  return sweepSqlite({ path: temp.path, table: "t", buckets: true, now: NOW, ...options }, ctx);
}

/** A database with tables of so many rows. */
function database(tables: Record<string, number>, setup = "PRAGMA journal_mode = WAL"): TempDb {
  const temp = new TempDb(setup);
  for (const [name, rows] of Object.entries(tables)) {
    temp.db.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, v TEXT)`);
    temp.insert(
      `INSERT INTO ${name} (v) VALUES (?)`,
      Array.from({ length: rows }, () => ["x".repeat(100)]),
    );
  }
  return temp;
}

function names(temp: TempDb): unknown[] {
  return temp.all("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name");
}

Deno.test("sweepSqlite() drops the tables of buckets that have ended, and nothing else", async () => {
  using temp = database({ [OLD]: 3, [OLDER]: 2, [LIVE]: 1, t: 1, other: 1 });
  temp.db.exec(`CREATE INDEX i ON ${OLD} (v); CREATE VIEW w AS SELECT * FROM ${OLDER}`);
  const ctx = createTestContext();
  const result = await sweep(temp, {}, ctx);
  assertEquals(names(temp), ["other", "t", LIVE, "w"]);
  const { removed, removedBuckets, keptBuckets, skippedNames, failed, sample, complete } = result;
  assertEquals([removed, removedBuckets, keptBuckets, skippedNames], [null, 2, 1, 0]);
  assertEquals([failed, sample, complete, result.batches], [0, [OLDER, OLD], true, 2]);
  assertEquals(ctx.progressed.at(-1), { done: 2, total: 2 });
  assertEquals(temp.all("PRAGMA integrity_check"), ["ok"]);
});

Deno.test("sweepSqlite() counts the rows of buckets when asked to, also in a dry run", async () => {
  using temp = database({ [OLD]: 3, [OLDER]: 2, [LIVE]: 1 });
  const forecast = await sweep(temp, { countRows: true, dryRun: true });
  assertEquals([forecast.removed, forecast.removedBuckets, names(temp).length], [5, 2, 3]);
  const uncounted = await sweep(temp, { dryRun: true });
  assertEquals([uncounted.removed, uncounted.sample], [null, [OLDER, OLD]]);
  const result = await sweep(temp, { countRows: true });
  assertEquals([result.removed, result.removedBuckets, names(temp)], [5, 2, [LIVE]]);
});

Deno.test("sweepSqlite() drops a bucket when its end has come, and not a millisecond before", async () => {
  for (const width of [1, 1000, HOUR, 24 * HOUR]) {
    const name = at(NOW + 5, width);
    const [start, end] = name.split("_").slice(2).map(Number) as [number, number];
    using temp = database({ [name]: 1 });
    for (
      const [now, olderThan, left] of [
        [start, 0, 1],
        [end - 1, 0, 1],
        [end, 1, 1],
        [end + 999, { seconds: 1 }, 1],
        [end, 0, 0],
      ] as const
    ) {
      const result = await sweep(temp, { now, olderThan });
      assertEquals(names(temp).length, left, `${now - end} ms after the end`);
      assertEquals([result.keptBuckets, result.removedBuckets], [left, 1 - left]);
    }
  }
});

Deno.test("sweepSqlite() knows the end of a bucket also when the width has changed since", async () => {
  const widths = [300_000, HOUR, 24 * HOUR];
  using temp = database(Object.fromEntries(widths.map((width) => [at(NOW + 1, width), 1])));
  assertEquals((await sweep(temp)).keptBuckets, 3);
  assertEquals((await sweep(temp, { now: NOW + 300_000 })).removedBuckets, 1);
  assertEquals((await sweep(temp, { now: NOW + HOUR })).removedBuckets, 1);
  assertEquals(names(temp), [at(NOW + 1, 24 * HOUR)]);
});

Deno.test("sweepSqlite() leaves tables alone that only look like buckets", async () => {
  const [, , start, end] = OLD.split("_");
  using temp = new TempDb(`
    CREATE TABLE "t_bucket_${start}_${end}x" (v);
    CREATE TABLE "t_bucket_${start}_${end} " (v);
    CREATE TABLE "t_bucket_${start}_${end}
    " (v);
    CREATE TABLE t_bucket_${start} (v);
    CREATE TABLE t_bucket_${end}_${start} (v);
    CREATE TABLE t_bucket_${start}_${start} (v);
    CREATE TABLE t_bucket_${Number(start) + 1}_${end} (v);
    CREATE TABLE t_bucket_0000000000000_${end} (v);
    CREATE TABLE t_bucket__ (v);
    CREATE TABLE "t_bucket_${start}_${end}_${start}_${end}" (v);
    CREATE VIEW ${OLDER} AS SELECT 1;
    CREATE VIRTUAL TABLE ${at(NOW - 2 * HOUR - 1)} USING fts5(v);
    CREATE TABLE T_bucket_${start}_${end} (v);
    CREATE TABLE tt_bucket_${start}_${end} (v);
    CREATE TABLE "x.t_bucket_${start}_${end}" (v);
    CREATE INDEX "t_bucket_${Number(start) - HOUR * 9}_${
    Number(end) - HOUR * 9
  }" ON T_bucket_${start}_${end} (v);
  `);
  const before = names(temp);
  const result = await sweep(temp);
  assertEquals(names(temp), before);
  // Ten tables, a view, a virtual table, and the five that it keeps its data in.
  assertEquals([result.removedBuckets, result.keptBuckets, result.skippedNames], [0, 0, 17]);
});

Deno.test("sweepSqlite() leaves the buckets of other tables alone", async () => {
  const inner = bucketTable(OLD, NOW - 1, { width: HOUR });
  using temp = database({ [OLD]: 1, [inner]: 1, [OLD.replace("t_", "tt_")]: 1 });
  await sweep(temp);
  assertEquals(names(temp), [OLD.replace("t_", "tt_"), inner].sort());
  assertEquals((await sweep(temp, { table: OLD })).removedBuckets, 1);
});

Deno.test("sweepSqlite() leaves the lock to writers between two buckets", async () => {
  const tables = Array.from({ length: 30 }, (_, index) => at(NOW - (index + 1) * HOUR));
  using temp = database(Object.fromEntries([LIVE, ...tables].map((name) => [name, 1])));
  let written = 0;
  const ctx = createTestContext({
    onCheckpoint: () => {
      // This connection does not wait: it throws if the lock is held.
      temp.insert(`INSERT INTO ${LIVE} (v) VALUES (?)`, [["x"]]);
      written++;
    },
  });
  const result = await sweep(temp, { batchTarget: 1, pause: 0 }, ctx);
  // More than once for each table: it rested.
  assert(written > 30, `${written} rows`);
  assertEquals([result.removedBuckets, temp.all(`SELECT count(*) FROM ${LIVE}`)], [30, [
    written + 1,
  ]]);
});

Deno.test("sweepSqlite() stops between two buckets, and goes on the next time", async () => {
  for (let moment = 1; moment <= 4; moment++) {
    const tables = [1, 2, 3, 4].map((index) => at(NOW - index * HOUR));
    using temp = database(Object.fromEntries(tables.map((name) => [name, 1])));
    const reason = new Error("enough");
    const ctx = createTestContext({
      onCheckpoint: (count) => {
        if (count === moment) ctx.abort(reason);
      },
    });
    const error = await assertRejects(() => sweep(temp, { batchTarget: 60_000 }, ctx));
    assert(error === reason);
    const left = names(temp).length;
    assertEquals(left, 5 - moment);
    assertEquals(ctx.logged.map(({ message }) => message), [
      `Stopped sweeping ${temp.path}: ${4 - left} buckets were dropped`,
    ]);
    assertEquals((await sweep(temp)).removedBuckets, left);
  }
});

for (const journal of ["WAL", "DELETE"]) {
  Deno.test(`sweepSqlite() waits for the lock to drop a bucket: journal mode ${journal}`, async () => {
    using temp = database({ [OLD]: 1 }, `PRAGMA journal_mode = ${journal}`);
    temp.db.exec("BEGIN IMMEDIATE");
    const ctx = createTestContext({
      onCheckpoint: (count) => {
        if (count === 4) temp.db.exec("COMMIT");
      },
    });
    const result = await sweep(temp, { busyTimeout: 0, batchTarget: 60_000 }, ctx);
    assertEquals([result.removedBuckets, result.busyRetries], [1, 3]);
  });

  Deno.test(`sweepSqlite() gives up on a bucket when others hold the lock: journal mode ${journal}`, async () => {
    using temp = database({ [OLD]: 1 }, `PRAGMA journal_mode = ${journal}`);
    temp.db.exec("BEGIN IMMEDIATE");
    const error = await assertRejects(
      () => sweep(temp, { busyTimeout: 0, giveUpAfter: 20 }),
      Deno.errors.Busy,
      `Cannot sweep the buckets of "t" in ${temp.path}: another connection held the lock for `,
    );
    assert(error.message.endsWith(" ms, after 0 buckets were dropped"), error.message);
    temp.db.exec("ROLLBACK");
    assertEquals(names(temp), [OLD]);
  });
}

Deno.test("sweepSqlite() drops a bucket that somebody reads, as the journal allows", async () => {
  for (const journal of ["WAL", "DELETE"]) {
    using temp = database({ [OLD]: 5 }, `PRAGMA journal_mode = ${journal}`);
    using reader = new DatabaseSync(temp.path);
    reader.exec("BEGIN");
    const count = () => reader.prepare(`SELECT count(*) AS n FROM ${OLD}`).get()!.n;
    assertEquals(count(), 5);
    // Without a log the reader is in the way of the commit, until it ends.
    const ctx = createTestContext({
      onCheckpoint: (checks) => {
        if (journal === "DELETE" && checks === 3) reader.exec("COMMIT");
      },
    });
    const result = await sweep(temp, { busyTimeout: 0, batchTarget: 60_000 }, ctx);
    assertEquals([result.removedBuckets, result.busyRetries], [1, journal === "WAL" ? 0 : 2]);
    if (journal === "WAL") {
      assertEquals(count(), 5);
      reader.exec("COMMIT");
    }
    await assertRejects(() => Promise.try(count), Error, "no such table");
  }
});

Deno.test("sweepSqlite() takes no lock where no bucket has ended", async () => {
  using temp = database({ [LIVE]: 1 });
  temp.db.exec("BEGIN IMMEDIATE");
  const result = await sweep(temp, { busyTimeout: 0, giveUpAfter: 0 });
  assertEquals([result.keptBuckets, result.busyRetries, result.checkpoints], [1, 0, 0]);
});

Deno.test("sweepSqlite() does not count a bucket that somebody else drops meanwhile", async () => {
  using temp = database({ [OLD]: 1, [OLDER]: 1 });
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count === 2) temp.db.exec(`DROP TABLE ${OLD}`);
    },
  });
  const result = await sweep(temp, {}, ctx);
  assertEquals([result.removedBuckets, result.keptBuckets, result.failed], [1, 0, 0]);
});

Deno.test("sweepSqlite() lets foreign keys act on the rows of a bucket, but no triggers", async () => {
  using temp = database({ [OLD]: 2, [OLDER]: 2, [LIVE]: 1 });
  temp.db.exec(`
    CREATE TABLE follows (id INTEGER REFERENCES ${OLD} (id) ON DELETE CASCADE);
    CREATE TABLE holds (id INTEGER REFERENCES ${OLDER} (id));
    CREATE TABLE seen (id INTEGER);
    CREATE TRIGGER tells AFTER DELETE ON ${OLD} BEGIN INSERT INTO seen VALUES (old.id); END;
    INSERT INTO follows VALUES (1); INSERT INTO holds VALUES (1);
  `);
  const ctx = createTestContext();
  const result = await sweep(temp, { countRows: true }, ctx);
  assertEquals([result.removed, result.removedBuckets, result.keptBuckets], [2, 1, 2]);
  assertEquals(result.failures, [
    { table: OLDER, error: "Error: FOREIGN KEY constraint failed" },
  ]);
  assertEquals(ctx.logged.map(({ level, message }) => [level, message]), [
    ["warn", `Could not drop 1 buckets of ${temp.path}`],
  ]);
  assertEquals(temp.all("SELECT count(*) FROM follows"), [0]);
  assertEquals(temp.all("SELECT count(*) FROM seen"), [0]);
  assertEquals(temp.all(`SELECT count(*) FROM ${OLDER}`), [2]);
  assertEquals(temp.all("PRAGMA integrity_check"), ["ok"]);

  temp.db.exec("DELETE FROM holds");
  assertEquals((await sweep(temp)).removedBuckets, 1);
});

Deno.test("sweepSqlite() leaves nothing of AUTOINCREMENT and of statistics behind", async () => {
  using temp = new TempDb(`
    CREATE TABLE ${OLD} (id INTEGER PRIMARY KEY AUTOINCREMENT, v); CREATE INDEX i ON ${OLD} (v);
    INSERT INTO ${OLD} (v) VALUES (1), (2); ANALYZE`);
  assertEquals((await sweep(temp)).removedBuckets, 1);
  assertEquals(temp.all("SELECT name FROM sqlite_sequence"), []);
  assertEquals(temp.all("SELECT tbl FROM sqlite_stat1"), []);
});

Deno.test("sweepSqlite() gives the pages of buckets back when asked to, and empties the log", async () => {
  using temp = database(
    { [OLD]: 3000, [LIVE]: 1 },
    "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL",
  );
  const before = Number(temp.all("PRAGMA page_count")[0]);
  const result = await sweep(temp, { vacuum: "incremental" });
  assert(result.freedPages > before / 2, `${result.freedPages} of ${before} pages`);
  assert(Number(temp.all("PRAGMA page_count")[0]) < before / 2);
  assertEquals([result.checkpoints, result.blockedCheckpoints, temp.logSize], [1, 0, 0]);
  using plain = database({ [OLD]: 1 });
  await assertRejects(() => sweep(plain, { vacuum: "incremental" }), TypeError, "auto_vacuum = 0");
  assertEquals(names(plain), [OLD]);
});

Deno.test("sweepSqlite() keeps the log small while it drops many buckets", async () => {
  const tables = Array.from({ length: 25 }, (_, index) => at(NOW - (index + 1) * HOUR));
  using temp = database(Object.fromEntries(tables.map((name) => [name, 1])));
  const result = await sweep(temp, { pause: 0 });
  assertEquals([result.removedBuckets, result.checkpoints, temp.logSize], [25, 3, 0]);
});

Deno.test("sweepSqlite() refuses what has no meaning with buckets, or without", async () => {
  using temp = database({ [OLD]: 1, t: 1 });
  const cases: [input: object, message: string][] = [
    [{ column: "e" }, 'column has no meaning with buckets: received "e"'],
    [{ unit: "seconds" }, "unit has no meaning with buckets"],
    [{ maxRows: 5 }, "maxRows has no meaning with buckets"],
    [{ buckets: false, column: "id", countRows: true }, "countRows has no meaning without buckets"],
    [{ buckets: "yes" }, "buckets must be true or false"],
    [{ countRows: 1 }, "countRows must be true or false"],
    [{ table: "main.t" }, "table must be letters, digits and _"],
    [{ table: 't" --' }, "table must be letters, digits and _"],
    [{ table: "1t" }, "with no digit and no sqlite_ first"],
    [{ table: "SQLite_t" }, "with no digit and no sqlite_ first"],
    [{ bucket: true }, '(did you mean "buckets"?)'],
  ];
  for (const [input, message] of cases) {
    await assertRejects(() => sweep(temp, input), TypeError, message);
  }
  assertEquals(names(temp), ["t", OLD]);
});
