import { assertEquals, assertRejects } from "@std/assert";
import sweepSqlite, { type SqliteSweepInput } from "../../src/sweepers/sqlite.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDb } from "../support/temp_db.ts";
import { TempDir } from "../support/temp_dir.ts";

/** The sweep must throw this, and delete nothing. */
async function refuses(input: object, message: string): Promise<void> {
  using temp = new TempDb(
    "CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, expires_at INTEGER); " +
      "CREATE TABLE users (name TEXT); CREATE VIEW live AS SELECT * FROM sessions; " +
      "CREATE VIRTUAL TABLE words USING fts5(expires_at); " +
      "CREATE TABLE hidden (rowid TEXT, oid TEXT, _rowid_ TEXT, expires_at INTEGER); " +
      "INSERT INTO sessions (expires_at) VALUES (1700000000000)",
  );
  const given = { path: temp.path, table: "sessions", column: "expires_at", ...input };
  await assertRejects(
    () => sweepSqlite(given as SqliteSweepInput, createTestContext()),
    Error,
    message.replace("PATH", temp.path),
  );
  assertEquals(temp.all("SELECT count(*) FROM sessions"), [1]);
}

Deno.test("sweepSqlite() refuses tables that are none, and names those that are", async () => {
  await refuses(
    { table: "sesions" },
    'Cannot sweep PATH: there is no such table (did you mean "sessions"?); ' +
      'the tables are hidden, sessions, users: received "sesions"',
  );
  await refuses({ table: "main.sessions" }, '(did you mean "sessions"?)');
  await refuses({ table: "live" }, 'only ordinary tables can be swept: received the view "live"');
  await refuses({ table: "words" }, 'received the virtual table "words"');
  await refuses({ table: "words_data" }, 'received the shadow table "words_data"');
  await refuses({ table: "sqlite_sequence" }, "there is no such table");
  await refuses({ table: "sessions; DROP TABLE sessions" }, "there is no such table");
  await refuses({ table: "hidden" }, "its columns hide all names of the row id");
});

Deno.test("sweepSqlite() refuses columns that do not exist, and names those that do", async () => {
  await refuses(
    { column: "expire_at" },
    'Cannot sweep table "sessions" of PATH: there is no such column (did you mean "expires_at"?); ' +
      'the columns are id, expires_at: received "expire_at"',
  );
  await refuses({ column: "expires_at) OR (1" }, "there is no such column");
  await refuses({ column: '"expires_at"' }, "there is no such column");
});

Deno.test("sweepSqlite() refuses options and values that it does not know", async () => {
  await refuses({ dry: true }, "there is no such option");
  await refuses({ dryrun: true }, '(did you mean "dryRun"?)');
  await refuses({ unit: "ms" }, 'unit must be "milliseconds" or "seconds" or "iso"');
  await refuses({ olderThan: "7d" }, "as olderThan");
  await refuses({ olderThan: -1 }, "as olderThan");
  await refuses({ maxRows: 0 }, "maxRows must be a whole number of at least 1");
  await refuses({ batchTarget: 0 }, "as batchTarget");
  await refuses({ checkpoint: "full" }, 'checkpoint must be "truncate" or "passive" or false');
  await refuses({ vacuum: true }, 'vacuum must be "incremental" or false');
  await refuses({ now: -1 }, "now must be a whole number");
  await refuses({ table: "" }, "table must be a string that is not empty");
  await refuses({ column: undefined }, "column must be a string that is not empty");
  await refuses({ path: "" }, "path must be a string that is not empty");
  await refuses({ path: ":memory:" }, "path must name a file");
  await refuses({ vacuum: "incremental" }, "received auto_vacuum = 0");
});

Deno.test("sweepSqlite() tells what is wrong with its file, and makes none", async () => {
  using dir = new TempDir();
  const sweep = (path: string, dryRun = false) =>
    sweepSqlite({ path, table: "t", column: "e", dryRun }, createTestContext());
  for (const dryRun of [false, true]) {
    await assertRejects(
      () => sweep(dir.at("missing.db"), dryRun),
      Deno.errors.NotFound,
      `Cannot sweep ${dir.at("missing.db")}: there is no such file`,
    );
  }
  assertEquals(dir.tree(), []);
  await assertRejects(() => sweep(dir.path), TypeError, "it is no file");
  await assertRejects(
    () => sweep(dir.file("text", { size: 5000 })),
    Error,
    "file is not a database",
  );
  await assertRejects(
    () => sweep(dir.file("empty", { size: 0 })),
    TypeError,
    "the tables are none",
  );
});
