/**
 * A ready-made task that deletes expired rows from a table of an SQLite database, or drops whole
 * tables for a stretch of time.
 *
 * It works in small batches, each in a transaction of its own, and adapts their size to the time
 * that a batch may hold the write lock. Between two batches the lock is free for others, and the
 * write-ahead log is kept small. If the column has an index and few rows have expired, the sweep
 * follows the index; else it reads the table once, from one end to the other.
 *
 * **Buckets.** Rows that expire at about the same time may be kept in one table
 * ({@linkcode bucketTable}). A sweep with `buckets: true` drops such a table when the end in its
 * name has come. That needs no index, looks at no row, and writes hardly anything, but it holds the
 * write lock for the whole table: some 10 ms for 100,000 rows of 100 bytes. Indexes and triggers go
 * with their table; triggers do not run. Where a foreign key of another table leads to a bucket,
 * its rows are deleted one by one before (so `ON DELETE CASCADE` works, and takes its time), and a
 * bucket that a foreign key holds back is counted as failed. An `AUTOINCREMENT` counts anew in each
 * bucket. The pages are used again by the buckets to come, so the file stays as large as what was
 * once live; `vacuum` gives them back. With `auto_vacuum = FULL` a drop takes up to four times as
 * long. Each new bucket, and each drop, makes all connections read the schema again.
 *
 * **Your own connections** need a busy timeout, or a write that meets a batch fails with
 * `database is locked`: `new DatabaseSync(path, { timeout: 5000 })`. `node:sqlite` has none by
 * default.
 *
 * **Permissions:** `{ read: [path], write: [path] }` for the database file itself; those for the
 * `-wal`, `-shm` and `-journal` files beside it are not asked for. A dry run needs `read` only.
 *
 * **Safe by default.** Unknown options, a table or column that does not exist, and a column that
 * does not hold what `unit` says are errors before anything is deleted. Foreign keys are enforced,
 * so `ON DELETE CASCADE` works, and triggers run.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import type { TaskContext } from "../worker/context.ts";
import { SqliteBucketsSweep } from "./_sqlite_buckets_sweep.ts";
import { planSqlite, type SqliteCommonPlan, type SqliteSweepInput } from "./_sqlite_input.ts";
import type { SqliteSweepResult } from "./_sqlite_result.ts";
import { SqliteSweep } from "./_sqlite_sweep.ts";

export type { Duration, DurationUnits } from "../base/duration.ts";
export type { TaskContext, TaskLog } from "../worker/context.ts";
export type { SqliteSweepInput } from "./_sqlite_input.ts";
export type { SqliteSweepFailure, SqliteSweepResult } from "./_sqlite_result.ts";
export type { BucketOptions } from "./_bucket.ts";
export { bucketTable, liveBuckets } from "./_bucket_table.ts";

/**
 * Sweeps a table once.
 *
 * When the run must stop, it throws `ctx.signal.reason` between two batches or buckets: what was
 * deleted is deleted, no transaction is open, the database is closed, and a log record tells how
 * far it got. Progress counts the deleted rows, of a total where an index makes that cheap to know,
 * or the dropped buckets.
 *
 * @param input Which rows to delete, and how gently.
 * @param ctx The context of the run.
 * @returns What was done.
 * @throws {TypeError} When the input does not fit the database.
 * @throws {RangeError} When a number is out of range.
 * @throws {Deno.errors.NotFound} When there is no such file.
 * @throws {Deno.errors.Busy} When others held the lock for longer than `giveUpAfter`.
 *
 * @example As a task
 * ```ts
 * import { every, Scheduler } from "@leash/leash";
 * import { assertEquals } from "@std/assert";
 * import { DatabaseSync } from "node:sqlite";
 *
 * const dir = Deno.makeTempDirSync();
 * const path = `${dir}/app.db`;
 * const db = new DatabaseSync(path, { timeout: 5000 });
 * db.exec("CREATE TABLE sessions (id TEXT PRIMARY KEY, made_at INTEGER)");
 * db.prepare("INSERT INTO sessions VALUES (?, ?)").run("mine", Date.now());
 *
 * const owner = new AbortController();
 * await using scheduler = new Scheduler({ signal: owner.signal });
 * const task = scheduler.add<typeof import("@leash/leash/sweepers/sqlite")>(
 *   import.meta.resolve("@leash/leash/sweepers/sqlite"),
 *   {
 *     name: "sweep sessions",
 *     schedule: every({ minutes: 10 }),
 *     permissions: { read: [path], write: [path] },
 *     input: { path, table: "sessions", column: "made_at", olderThan: { days: 30 } },
 *   },
 * );
 * const { value } = await task.trigger();
 * assertEquals([value?.removed, value?.complete], [0, true]);
 * db.close();
 * Deno.removeSync(dir, { recursive: true });
 * ```
 *
 * @example Called directly
 * ```ts
 * import sweepSqlite from "@leash/leash/sweepers/sqlite";
 * import { assertEquals } from "@std/assert";
 * import { DatabaseSync } from "node:sqlite";
 *
 * const dir = Deno.makeTempDirSync();
 * const path = `${dir}/app.db`;
 * const db = new DatabaseSync(path);
 * db.exec("CREATE TABLE sessions (id TEXT PRIMARY KEY, expires_at INTEGER)");
 * const insert = db.prepare("INSERT INTO sessions VALUES (?, ?)");
 * insert.run("old", Date.now() - 1000);
 * insert.run("new", Date.now() + 60_000);
 * insert.run("for ever", null);
 *
 * const { signal } = new AbortController();
 * const log = { debug() {}, info() {}, warn() {}, error() {} };
 * const result = await sweepSqlite({ path, table: "sessions", column: "expires_at" }, {
 *   signal,
 *   log,
 *   runId: "1",
 *   attempt: 1,
 *   deadline: undefined,
 *   task: { name: "sweep" },
 *   checkpoint: () => signal.throwIfAborted(),
 *   progress() {},
 * });
 *
 * assertEquals([result.removed, result.complete], [1, true]);
 * assertEquals(db.prepare("SELECT count(*) AS n FROM sessions").get()?.n, 2);
 * db.close();
 * Deno.removeSync(dir, { recursive: true });
 * ```
 */
export default async function sweepSqlite(
  input: SqliteSweepInput,
  ctx: TaskContext,
): Promise<SqliteSweepResult> {
  const plan = planSqlite(input);
  const db = open(plan);
  const sweep = plan.buckets
    ? new SqliteBucketsSweep(db, plan, ctx)
    : new SqliteSweep(db, plan, ctx);
  try {
    const result = await sweep.run();
    if (result.failed > 0) {
      ctx.log.warn(`Could not drop ${result.failed} buckets of ${plan.path}`, result.failures);
    }
    return result;
  } catch (error) {
    ctx.log.info(`Stopped sweeping ${plan.path}: ${sweep.done}`);
    if (!isSqliteError(error)) throw error;
    throw new Error(
      `Cannot sweep table ${JSON.stringify(plan.table)} of ${plan.path}: ${error.message}`,
      { cause: error },
    );
  } finally {
    db.close();
  }
}

/** SQLite makes a file that does not exist, so it is looked for before. */
function open({ path, busyTimeout, dryRun }: SqliteCommonPlan): DatabaseSync {
  try {
    if (!Deno.statSync(path).isFile) {
      throw new TypeError(`Cannot sweep ${path}: it is no file`);
    }
    return new DatabaseSync(path, { timeout: busyTimeout, readOnly: dryRun });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new Deno.errors.NotFound(`Cannot sweep ${path}: there is no such file`);
    }
    if (error instanceof Deno.errors.NotCapable) {
      throw new Deno.errors.NotCapable(
        `Cannot sweep ${path}: the task needs the permissions { read: [path], write: [path] }: ` +
          `received ${error.message}`,
      );
    }
    throw error;
  }
}

function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}
