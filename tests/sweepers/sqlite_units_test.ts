import { assertEquals, assertRejects } from "@std/assert";
import type { SQLInputValue } from "node:sqlite";
import sweepSqlite, { type SqliteSweepInput } from "../../src/sweepers/sqlite.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDb } from "../support/temp_db.ts";

const NOW = Date.UTC(2026, 0, 31, 12);
/** An index is followed when few rows expired for the size of the database. */
const INDEX = "; CREATE INDEX i ON t (e); CREATE TABLE ballast AS SELECT zeroblob(1000000)";

/** Sweeps a table with these values in a column; returns what is left, without and with an index. */
async function sweep(
  type: string,
  unit: SqliteSweepInput["unit"],
  values: SQLInputValue[],
): Promise<unknown[]> {
  const outcomes: unknown[][] = [];
  for (const index of ["", INDEX]) {
    using temp = new TempDb(`CREATE TABLE t (e ${type})${index}`);
    temp.insert("INSERT INTO t VALUES (?)", values.map((value) => [value]));
    const input = { path: temp.path, table: "t", column: "e", unit, now: NOW };
    await sweepSqlite(input, createTestContext());
    outcomes.push(temp.all("SELECT e FROM t ORDER BY rowid"));
  }
  assertEquals(outcomes[0], outcomes[1]);
  return outcomes[0]!;
}

/** The sweep must throw this, and delete nothing. */
async function refuses(
  type: string,
  unit: SqliteSweepInput["unit"],
  values: SQLInputValue[],
  message: string,
): Promise<void> {
  for (const index of ["", INDEX]) {
    using temp = new TempDb(`CREATE TABLE t (e ${type})${index}`);
    temp.insert("INSERT INTO t VALUES (?)", values.map((value) => [value]));
    const input = { path: temp.path, table: "t", column: "e", unit, now: NOW };
    await assertRejects(() => sweepSqlite(input, createTestContext()), TypeError, message);
    assertEquals(temp.all("SELECT count(*) FROM t"), [values.length]);
  }
}

Deno.test("sweepSqlite() reads milliseconds, whole or not", async () => {
  for (const type of ["INTEGER", "REAL", "NUMERIC", ""]) {
    const left = await sweep(type, undefined, [NOW - 0.5, NOW, NOW + 0.5, 0, null, NOW + 1]);
    assertEquals(left, [NOW + 0.5, null, NOW + 1]);
  }
});

Deno.test("sweepSqlite() reads seconds, whole or not", async () => {
  const now = NOW / 1000;
  const left = await sweep("NUMERIC", "seconds", [now - 1, now, now + 0.001, now + 1, null]);
  assertEquals(left, [now + 0.001, now + 1, null]);
});

Deno.test("sweepSqlite() reads dates in all forms that SQLite knows, zones among them", async () => {
  const expired = [
    "2026-01-31T12:00:00.000Z",
    "2026-01-31 12:00:00",
    "2026-01-31T11:59:59.999",
    "2026-01-31 12:00",
    "2026-01-31",
    "1999-12-31",
    // A zone: the same or an earlier instant on another day.
    "2026-02-01T01:30:00+14:00",
    "2026-01-31T00:00:00-12:00",
  ];
  const kept = [
    "2026-01-31T12:00:00.001Z",
    "2026-01-31 12:01",
    "2026-02-01",
    "2026-01-30T23:00:00-14:00",
    "2026-02-01T02:30:00+14:00",
    "9999-12-31",
    // SQLite takes these for dates, but nobody here meant one.
    "2460000.5",
    "now",
    "12:00",
    "",
    null,
  ];
  assertEquals(await sweep("TEXT", "iso", [...expired, ...kept]), kept);
});

Deno.test("sweepSqlite() refuses a unit that the column contradicts, instead of deleting all", async () => {
  const seconds = NOW / 1000;
  await refuses("INTEGER", "milliseconds", [seconds, seconds + 1], "seems to hold seconds");
  await refuses("INTEGER", "seconds", [NOW, NOW + 1], "seems to hold milliseconds");
  await refuses("INTEGER", "seconds", [NOW * 1000], "seems to hold microseconds");
  await refuses("INTEGER", "milliseconds", [BigInt(NOW) * 1_000_000n], "seems to hold nanoseconds");
  await refuses("INTEGER", "milliseconds", ["2026-01-31"], "seems to hold dates as text");
  await refuses("TEXT", "milliseconds", [NOW, NOW], "seems to hold text that is no date");
  await refuses("TEXT", "iso", ["31.01.2026"], "seems to hold text that is no date");
  await refuses("INTEGER", "iso", [NOW], "seems to hold milliseconds");
  await refuses("BLOB", "milliseconds", [new Uint8Array(3)], "seems to hold binary data");
  await refuses("REAL", "milliseconds", [2_461_072.5], "neither milliseconds nor seconds");
  await refuses("INTEGER", "seconds", [20_260_131], "neither milliseconds nor seconds");
  await refuses(
    "",
    "milliseconds",
    [NOW, "a", "b", null],
    'unit is "milliseconds", but column "e"',
  );
});

Deno.test("sweepSqlite() keeps single rows that hold something else, and warns of them", async () => {
  using temp = new TempDb("CREATE TABLE t (e)");
  const odd = ["soon", new Uint8Array(1)];
  temp.insert(
    "INSERT INTO t VALUES (?)",
    [NOW, odd[0]!, NOW, NOW, odd[1]!].map((value) => [value]),
  );
  const ctx = createTestContext();
  const input = { path: temp.path, table: "t", column: "e", now: NOW };
  assertEquals((await sweepSqlite(input, ctx)).removed, 3);
  assertEquals(temp.all("SELECT e FROM t"), odd);
  assertEquals(ctx.logged.map(({ level, message }) => [level, message]), [
    [
      "warn",
      'Column "e" of table "t" does not always hold milliseconds: 2 of the rows in a sample',
    ],
  ]);
});

Deno.test("sweepSqlite() sees a wrong unit at the end of a large table as well", async () => {
  const values = Array.from({ length: 3000 }, (_, n) => n < 2000 ? null : NOW / 1000);
  await refuses("INTEGER", "milliseconds", values, "seems to hold seconds");
});

Deno.test("sweepSqlite() compares no numbers with texts that the sample does not show", async () => {
  // In a column of texts SQLite would compare the present as a text, and "1 hour" comes before it.
  const nulls = Array.from({ length: 600 }, () => null);
  const left = await sweep("TEXT", "milliseconds", [...nulls, "1 hour", ...nulls]);
  assertEquals(left.length, 1201);
});
