import { assert, assertEquals, assertRejects } from "@std/assert";
import type { SQLInputValue } from "node:sqlite";
import sweepSqlite from "../../src/sweepers/sqlite.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDb } from "../support/temp_db.ts";

const NOW = Date.UTC(2026, 0, 31, 12);
/** An index is followed when few rows expired for the size of the database. */
const INDEX = "CREATE INDEX i ON t (e); CREATE TABLE ballast AS SELECT zeroblob(20000000)";
const TABLES = {
  "row ids": "CREATE TABLE t (id INTEGER PRIMARY KEY, e INTEGER)",
  "row ids and an index": `CREATE TABLE t (id INTEGER PRIMARY KEY, e INTEGER); ${INDEX}`,
  "no row ids": "CREATE TABLE t (id INTEGER PRIMARY KEY, e INTEGER) WITHOUT ROWID",
  "no row ids and an index":
    `CREATE TABLE t (id INTEGER PRIMARY KEY, e INTEGER) WITHOUT ROWID; ${INDEX}`,
};

/** Every third row has expired, every seventh never expires. */
function* rows(count: number): Generator<SQLInputValue[]> {
  for (let id = 1; id <= count; id++) {
    yield [id, id % 7 === 0 ? null : id % 3 === 0 ? NOW - id : NOW + id];
  }
}

for (const journal of ["WAL", "DELETE"]) {
  for (const [kind, schema] of Object.entries(TABLES)) {
    Deno.test(`sweepSqlite() deletes what has expired: ${kind}, journal mode ${journal}`, async () => {
      using temp = new TempDb(`PRAGMA journal_mode = ${journal}; ${schema}`);
      temp.insert("INSERT INTO t VALUES (?, ?)", rows(5000));
      const expected = temp.all(`SELECT id FROM t WHERE e > ${NOW} OR e IS NULL ORDER BY id`);
      const input = { path: temp.path, table: "t", column: "e", now: NOW };

      const forecast = await sweepSqlite({ ...input, dryRun: true }, createTestContext());
      assertEquals(temp.all("SELECT count(*) FROM t"), [5000]);

      const ctx = createTestContext();
      const result = await sweepSqlite(input, ctx);
      assertEquals(temp.all("SELECT id FROM t ORDER BY id"), expected);
      assertEquals(result.removed, 5000 - expected.length);
      assertEquals(forecast.removed, result.removed);
      assertEquals([result.complete, forecast.complete], [true, true]);
      assertEquals(result.index, kind.includes("index") ? "i" : null);
      assertEquals(result.checkpoints > 0, journal === "WAL");
      assert(result.batches > 1 && result.longestBatchMs > 0 && result.durationMs > 0);
      assertEquals(ctx.progressed.at(-1)?.done, result.removed);
      assertEquals(temp.all("PRAGMA integrity_check"), ["ok"]);
      assertEquals(JSON.parse(JSON.stringify(structuredClone(result))), result);
    });

    Deno.test(`sweepSqlite() deletes no more than maxRows: ${kind}, journal mode ${journal}`, async () => {
      using temp = new TempDb(`PRAGMA journal_mode = ${journal}; ${schema}`);
      temp.insert("INSERT INTO t VALUES (?, ?)", rows(3000));
      const input = { path: temp.path, table: "t", column: "e", now: NOW };
      for (const maxRows of [1, 299, 300]) {
        const result = await sweepSqlite({ ...input, maxRows }, createTestContext());
        assertEquals([result.removed, result.complete], [maxRows, false]);
      }
      assertEquals(temp.all("SELECT count(*) FROM t"), [3000 - 600]);
      const rest = await sweepSqlite({ ...input, maxRows: 1e6 }, createTestContext());
      assertEquals([rest.removed, rest.complete], [3000 / 3 - Math.floor(3000 / 21) - 600, true]);
    });
  }
}

Deno.test("sweepSqlite() goes through the table when so many rows expired that this is faster", async () => {
  using temp = new TempDb(`${TABLES["row ids"]}; CREATE INDEX i ON t (e)`);
  temp.insert("INSERT INTO t VALUES (?, ?)", rows(5000));
  const input = { path: temp.path, table: "t", column: "e", now: NOW };
  const result = await sweepSqlite(input, createTestContext());
  assertEquals([result.index, temp.all(`SELECT count(*) FROM t WHERE e <= ${NOW}`)], [null, [0]]);
  temp.insert("INSERT INTO t (e) VALUES (?)", [[NOW], [NOW]]);
  const ctx = createTestContext();
  const few = await sweepSqlite(input, ctx);
  assertEquals([few.index, few.removed, ctx.progressed], ["i", 2, [{ done: 2, total: 2 }]]);
});

Deno.test("sweepSqlite() deletes a row at the very millisecond, and not one before", async () => {
  using temp = new TempDb("CREATE TABLE t (e INTEGER)");
  temp.insert("INSERT INTO t VALUES (?)", [[NOW]]);
  const input = { path: temp.path, table: "t", column: "e" };
  assertEquals((await sweepSqlite({ ...input, now: NOW - 1 }, createTestContext())).removed, 0);
  const made = { ...input, olderThan: { minutes: 1 } };
  assertEquals((await sweepSqlite({ ...made, now: NOW + 59_999 }, createTestContext())).removed, 0);
  assertEquals((await sweepSqlite({ ...made, now: NOW + 60_000 }, createTestContext())).removed, 1);
});

Deno.test("sweepSqlite() does nothing to an empty table", async () => {
  for (const schema of Object.values(TABLES)) {
    using temp = new TempDb(schema);
    for (const unit of ["milliseconds", "seconds", "iso"] as const) {
      const input = { path: temp.path, table: "t", column: "e", unit };
      const result = await sweepSqlite(input, createTestContext());
      assertEquals([result.removed, result.complete, result.batches], [0, true, 1]);
    }
  }
});

Deno.test("sweepSqlite() takes names with quotes, spaces and any letters, in any case", async () => {
  using temp = new TempDb(
    'CREATE TABLE "we""ird; DROP table" ("id" TEXT, "ex""pires [at]" INTEGER, PRIMARY KEY ("id")) ' +
      'WITHOUT ROWID; CREATE INDEX "i""x" ON "we""ird; DROP table" ("ex""pires [at]")',
  );
  temp.insert('INSERT INTO "we""ird; DROP table" VALUES (?, ?)', [["a", NOW], ["b", NOW + 1]]);
  const result = await sweepSqlite(
    { path: temp.path, table: 'WE"ird; DROP table', column: 'EX"pires [at]', now: NOW },
    createTestContext(),
  );
  assertEquals([result.removed, result.index], [1, 'i"x']);
});

Deno.test("sweepSqlite() takes keys of any kind", async () => {
  using temp = new TempDb(
    "CREATE TABLE big (e INTEGER); " +
      "CREATE TABLE many (a TEXT, b BLOB, c REAL, e INTEGER, PRIMARY KEY (b, a DESC, c)) WITHOUT ROWID; " +
      "CREATE TABLE hidden (rowid TEXT, oid TEXT, e INTEGER)",
  );
  const large = 2n ** 62n;
  temp.insert("INSERT INTO big (rowid, e) VALUES (?, ?)", [
    ...Array.from({ length: 1000 }, (_, n): SQLInputValue[] => [large + BigInt(n), NOW + n % 2]),
    [-large, NOW],
    [0, NOW + 1],
  ]);
  temp.insert(
    "INSERT INTO many VALUES (?, ?, ?, ?)",
    Array.from({ length: 1000 }, (_, n): SQLInputValue[] => [
      `${n % 7}`,
      new Uint8Array([n % 11]),
      n / 3,
      NOW + n % 2,
    ]),
  );
  temp.insert(
    "INSERT INTO hidden VALUES (?, ?, ?)",
    Array.from({ length: 1000 }, (_, n): SQLInputValue[] => ["same", "same", NOW + n % 2]),
  );
  for (const [table, removed] of [["big", 501], ["many", 500], ["hidden", 500]] as const) {
    const input = { path: temp.path, table, column: "e", now: NOW };
    const result = await sweepSqlite(input, createTestContext());
    assertEquals(result.removed, removed, table);
    assertEquals(temp.all(`SELECT count(*) FROM ${table} WHERE e <= ${NOW}`), [0]);
  }
});

Deno.test("sweepSqlite() sweeps a column that is the key itself", async () => {
  for (const tail of ["", "WITHOUT ROWID"]) {
    using temp = new TempDb(`CREATE TABLE t (e INTEGER PRIMARY KEY) ${tail}`);
    temp.insert(
      "INSERT INTO t VALUES (?)",
      Array.from({ length: 2000 }, (_, n) => [NOW - 999 + n]),
    );
    const result = await sweepSqlite(
      { path: temp.path, table: "t", column: "e", now: NOW },
      createTestContext(),
    );
    assertEquals([result.removed, temp.all("SELECT min(e) FROM t")], [1000, [NOW + 1]]);
  }
});

Deno.test("sweepSqlite() grows its batches to the time that one may take", async () => {
  for (const schema of [TABLES["row ids"], TABLES["row ids and an index"]]) {
    using temp = new TempDb(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`);
    temp.insert("INSERT INTO t VALUES (?, ?)", rows(60_000));
    const input = { path: temp.path, table: "t", column: "e", now: NOW, pause: 0 };
    const result = await sweepSqlite({ ...input, batchTarget: 600_000 }, createTestContext());
    // 256 + 512 + … + 32,768 are 65,280.
    assert(result.batches <= 8, `${result.batches} batches`);
  }
});

Deno.test("sweepSqlite() lets cascades and triggers work, and tells what a foreign key forbids", async () => {
  using temp = new TempDb(
    "CREATE TABLE t (id INTEGER PRIMARY KEY, e INTEGER); CREATE TABLE gone (id); " +
      "CREATE TABLE child (t REFERENCES t ON DELETE CASCADE); CREATE TABLE strict (t REFERENCES t); " +
      "CREATE TRIGGER log AFTER DELETE ON t BEGIN INSERT INTO gone VALUES (old.id); END",
  );
  temp.insert("INSERT INTO t VALUES (?, ?)", [[1, NOW], [2, NOW], [3, NOW + 1]]);
  temp.insert("INSERT INTO child VALUES (?)", [[1], [1], [3]]);
  const input = { path: temp.path, table: "t", column: "e", now: NOW };
  assertEquals((await sweepSqlite(input, createTestContext())).removed, 2);
  assertEquals(temp.all("SELECT t FROM child"), [3]);
  assertEquals(temp.all("SELECT id FROM gone ORDER BY id"), [1, 2]);

  temp.insert("INSERT INTO strict VALUES (?)", [[3]]);
  await assertRejects(
    () => sweepSqlite({ ...input, now: NOW + 1 }, createTestContext()),
    Error,
    `Cannot sweep table "t" of ${temp.path}: FOREIGN KEY constraint failed`,
  );
  assertEquals(temp.all("SELECT id FROM t"), [3]);
});

Deno.test("sweepSqlite() gives free pages back with vacuum: incremental", async () => {
  using temp = new TempDb(
    "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; CREATE TABLE t (e INTEGER, v TEXT)",
  );
  const value = "x".repeat(1000);
  temp.insert("INSERT INTO t VALUES (?, ?)", Array.from({ length: 5000 }, () => [NOW, value]));
  temp.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const before = Deno.statSync(temp.path).size;
  const input = { path: temp.path, table: "t", column: "e", now: NOW };
  const result = await sweepSqlite({ ...input, vacuum: "incremental" }, createTestContext());
  assert(result.freedPages > 1000, `${result.freedPages} pages`);
  const after = Deno.statSync(temp.path).size;
  assert(after < before / 10, `${before} → ${after} bytes`);
  assertEquals(temp.all("PRAGMA integrity_check"), ["ok"]);
});
