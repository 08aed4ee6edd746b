import { assert, assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import fc from "npm:fast-check@4";
import sweepSqlite, {
  type BucketOptions,
  bucketTable,
  liveBuckets,
} from "../../src/sweepers/sqlite.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDb } from "../support/temp_db.ts";

const HOUR = 3_600_000;
const START = 1_764_518_400_000;

Deno.test("bucketTable() names the stretch of time that an expiry lies in", () => {
  const at = (expiry: number | Date) => bucketTable("sessions", expiry, { width: { hours: 1 } });
  const name = "sessions_bucket_1764518400000_1764522000000";
  assertEquals(at(START), name);
  assertEquals(at(new Date(START + HOUR - 1)), name);
  assertEquals(at(START + HOUR), "sessions_bucket_1764522000000_1764525600000");
  using db = new DatabaseSync(":memory:");
  db.exec(`CREATE TABLE ${name} (v)`);
});

Deno.test("bucketTable() and liveBuckets() refuse what is no name or no bucket", () => {
  using db = new DatabaseSync(":memory:");
  const bad = ["", "a b", "a-b", "a.b", '"a"', "a;", "1a", "é", "sqlite_a", "a\n", "a\0"];
  for (const table of [...bad, undefined, 5, null]) {
    assertThrows(
      () => bucketTable(table as string, START, { width: HOUR }),
      TypeError,
      "Cannot name a bucket table: table must be letters, digits and _",
    );
    assertThrows(() => liveBuckets(db, table as string), TypeError, "Cannot list live buckets");
  }
  assertThrows(() => bucketTable("t", NaN, { width: HOUR }), RangeError, "expiry must be");
  assertThrows(() => bucketTable("t", START, { width: 0 }), RangeError, "as width");
  assertThrows(() => bucketTable("t", START, {} as BucketOptions), TypeError, "the option width");
  assertThrows(() => liveBuckets(db, "t", { now: NaN }), RangeError, "now must be a whole number");
});

Deno.test("liveBuckets() lists the tables that have not ended, those that end last first", () => {
  using db = new DatabaseSync(":memory:");
  const at = (expiry: number, width: number) => bucketTable("t", expiry, { width });
  const tables = [at(START - 1, HOUR), at(START, HOUR), at(START, 2 * HOUR), at(START, 1000)];
  for (const name of tables) db.exec(`CREATE TABLE ${name} (v)`);
  db.exec(`
    CREATE TEMP TABLE ${at(START + 9 * HOUR, HOUR)} (v);
    CREATE VIEW ${at(START + 8 * HOUR, HOUR)} AS SELECT 1;
    CREATE TABLE t (v); CREATE TABLE t_bucket_1_2 (v);
    CREATE TABLE ${at(START + HOUR, HOUR).replace("t_", "tt_")} (v)`);
  const [old, hour, long, short] = tables;
  assertEquals(liveBuckets(db, "t", { now: START - 1 }), [long, hour, short, old]);
  assertEquals(liveBuckets(db, "t", { now: START }), [long, hour, short]);
  assertEquals(liveBuckets(db, "t", { now: START + 999 }), [long, hour, short]);
  assertEquals(liveBuckets(db, "t", { now: START + 1000 }), [long, hour]);
  assertEquals(liveBuckets(db, "t", { now: START + HOUR }), [long]);
  // By the clock all of them have ended.
  assertEquals(liveBuckets(db, "t"), []);
  assertEquals(liveBuckets(db, "nothing"), []);
});

Deno.test("sweeps of bucket tables never drop what has not expired, and finally all that has", async () => {
  const step = fc.record({
    advance: fc.integer({ min: 0, max: 40 }),
    writes: fc.array(
      fc.record({ ttl: fc.integer({ min: -20, max: 60 }), width: fc.integer({ min: 1, max: 30 }) }),
      { maxLength: 6 },
    ),
    stopAt: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      using temp = new TempDb("PRAGMA synchronous = OFF");
      const { db, path } = temp;
      const rows: { id: number; expiry: number; end: number; wasDue: boolean }[] = [];
      const input = { path, table: "t", buckets: true, pause: 0 };
      let now = START;
      const left = () =>
        new Set(liveBuckets(db, "t", { now: 0 }).flatMap((t) => temp.all(`SELECT id FROM ${t}`)));
      for (const { advance, writes, stopAt } of steps) {
        now += advance;
        for (const { ttl, width } of writes) {
          const table = bucketTable("t", now + ttl, { width });
          const id = rows.length;
          db.exec(`CREATE TABLE IF NOT EXISTS ${table} (id); INSERT INTO ${table} VALUES (${id})`);
          const end = Number(table.split("_").at(-1));
          rows.push({ id, expiry: now + ttl, end, wasDue: false });
        }
        const ctx = createTestContext({
          onCheckpoint: (count) => {
            if (count === stopAt) ctx.abort(new Error("enough"));
          },
        });
        const result = await sweepSqlite({ ...input, now }, ctx).catch((error: Error) => {
          if (error.message !== "enough") throw error;
        });
        const there = left();
        for (const row of rows) {
          row.wasDue ||= row.end <= now;
          assert(!row.wasDue || row.expiry < now);
          if (!row.wasDue) assert(there.has(row.id), `row ${row.id} is gone at ${now}`);
          else if (result) assert(!there.has(row.id), `row ${row.id} is left at ${now}`);
        }
      }
      await sweepSqlite({ ...input, now: now + 100 }, createTestContext());
      assertEquals(left().size, 0);
    }),
    { numRuns: 15 },
  );
});
