/**
 * A ready-made task that deletes expired rows from a table of an SQLite database.
 *
 * It works in small batches, each in a transaction of its own, and adapts their size to the time
 * that a batch may hold the write lock. Between two batches the lock is free for others, and the
 * write-ahead log is kept small. If the column has an index and few rows have expired, the sweep
 * follows the index; else it reads the table once, from one end to the other.
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
import { planSqlite, type SqlitePlan, type SqliteSweepInput } from "./_sqlite_input.ts";
import { SqliteSweep, type SqliteSweepResult } from "./_sqlite_sweep.ts";

export type { Duration, DurationUnits } from "../base/duration.ts";
export type { TaskContext, TaskLog } from "../worker/context.ts";
export type { SqliteSweepInput } from "./_sqlite_input.ts";
export type { SqliteSweepResult } from "./_sqlite_sweep.ts";

/**
 * Sweeps a table once.
 *
 * When the run must stop, it throws `ctx.signal.reason` between two batches: what was deleted is
 * deleted, no transaction is open, the database is closed, and a log record tells how far it got.
 * Progress counts the deleted rows; a total is told where an index makes it cheap to know.
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
  const sweep = new SqliteSweep(db, plan, ctx);
  try {
    return await sweep.run();
  } catch (error) {
    const { removed } = sweep.result;
    ctx.log.info(`Stopped sweeping ${plan.path}: ${removed} rows were deleted`);
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
function open({ path, busyTimeout, dryRun }: SqlitePlan): DatabaseSync {
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
