import type { DatabaseSync } from "node:sqlite";
import type { TaskContext } from "../worker/context.ts";
import { Batches } from "./_sqlite_batches.ts";
import { checkUnit, expiryCondition } from "./_sqlite_expiry.ts";
import type { SqlitePlan } from "./_sqlite_input.ts";
import { Patience } from "./_sqlite_patience.ts";
import { findTable, type Table } from "./_sqlite_table.ts";

/** What a sweep did. It can be sent between workers and written as JSON. */
export interface SqliteSweepResult {
  /** The database file. */
  path: string;
  /** The table, as it is called in the schema of the input. */
  table: string;
  /** Nothing was deleted: `removed` tells how many rows would have been. */
  dryRun: boolean;
  /** Rows that were deleted. Rows that a foreign key or a trigger deleted with them do not count. */
  removed: number;
  /** `false` when `maxRows` ended the sweep: there may be more. */
  complete: boolean;
  /**
   * The index that was followed; `null` when the sweep went through the whole table, because the
   * column has no index, or because so many rows expired that this is faster.
   */
  index: string | null;
  /** How many batches it took. */
  batches: number;
  /** The longest batch, in milliseconds. So long others may have waited for the write lock. */
  longestBatchMs: number;
  /** How often something had to be tried again because the database was locked. */
  busyRetries: number;
  /** Checkpoints of the write-ahead log that went through. */
  checkpoints: number;
  /** Checkpoints that readers or writers did not let go through; the log may grow meanwhile. */
  blockedCheckpoints: number;
  /** Pages that `vacuum` gave back to the file system. */
  freedPages: number;
  /** How long the sweep took, in milliseconds. */
  durationMs: number;
}

const FIRST_BATCH = 256;
const LARGEST_BATCH = 1_000_000;
const CHECKPOINT_EVERY = 10;
const AUTO_VACUUM_INCREMENTAL = 2;

/** One sweep of one table. */
export class SqliteSweep {
  readonly #db: DatabaseSync;
  readonly #plan: SqlitePlan;
  readonly #ctx: TaskContext;
  readonly #patience: Patience;
  readonly #start = performance.now();
  #hasLog = false;
  /** What was done so far. */
  readonly result: SqliteSweepResult;

  constructor(db: DatabaseSync, plan: SqlitePlan, ctx: TaskContext) {
    this.#db = db;
    this.#plan = plan;
    this.#ctx = ctx;
    this.#patience = new Patience(ctx, plan.giveUpAfter, (waited) =>
      new Deno.errors.Busy(
        `Cannot sweep table ${
          JSON.stringify(plan.table)
        } of ${plan.path}: another connection held ` +
          `the lock for ${Math.round(waited)} ms, after ${this.result.removed} rows were deleted`,
      ));
    this.result = {
      path: plan.path,
      table: plan.table,
      dryRun: plan.dryRun,
      removed: 0,
      complete: false,
      index: null,
      batches: 0,
      longestBatchMs: 0,
      busyRetries: 0,
      checkpoints: 0,
      blockedCheckpoints: 0,
      freedPages: 0,
      durationMs: 0,
    };
  }

  /** Throws at the next batch when the run must stop. */
  async run(): Promise<SqliteSweepResult> {
    const { result } = this;
    const table = await this.#patience.run(() => this.#inspect());
    await this.#delete(table);
    if (!this.#plan.dryRun) {
      if (this.#plan.vacuum === "incremental") await this.#vacuum();
      if (result.removed + result.freedPages > 0) this.#checkpoint();
    }
    result.busyRetries = this.#patience.retries;
    result.durationMs = performance.now() - this.#start;
    return result;
  }

  #inspect(): Table {
    const table = findTable(this.#db, this.#plan);
    this.#hasLog = this.#pragma("journal_mode") === "wal";
    if (this.#plan.vacuum && this.#pragma("auto_vacuum") !== AUTO_VACUUM_INCREMENTAL) {
      throw new TypeError(
        `Cannot vacuum ${this.#plan.path}: it must have been made with PRAGMA auto_vacuum = ` +
          `INCREMENTAL: received auto_vacuum = ${this.#pragma("auto_vacuum")}`,
      );
    }
    const misfits = checkUnit(this.#db, this.#plan, table);
    if (misfits > 0) {
      this.#ctx.log.warn(
        `Column ${table.column} of table ${table.name} does not always hold ${this.#plan.unit}: ` +
          `${misfits} of the rows in a sample`,
      );
    }
    return table;
  }

  async #delete(table: Table): Promise<void> {
    const { batchTarget, dryRun, maxRows, pause } = this.#plan;
    const { result } = this;
    const total = await this.#patience.run(() => this.#countFew(table));
    // A dry run finds all that it is to count in the index itself.
    const index = dryRun || total !== undefined ? table.index : undefined;
    const batches = this.#batches({ ...table, index });
    result.index = index ?? null;
    let size = FIRST_BATCH;
    while (true) {
      this.#ctx.checkpoint();
      let took = 0;
      const batch = await this.#patience.run(() => {
        const start = performance.now();
        const batch = batches.next(size, maxRows - result.removed);
        took = performance.now() - start;
        return batch;
      });
      result.batches++;
      result.removed += batch.removed;
      result.longestBatchMs = Math.max(result.longestBatchMs, took);
      result.complete = batch.isLast;
      this.#ctx.progress(result.removed, total);
      if (batch.isLast || result.removed >= maxRows) return;
      size = adapt(size, took, batchTarget, LARGEST_BATCH);
      if (!dryRun && result.batches % CHECKPOINT_EVERY === 0) this.#checkpoint();
      await this.#patience.rest(dryRun ? 0 : pause);
    }
  }

  #batches(table: Table): Batches {
    // With the sign before it SQLite uses no index on the column.
    const column = table.index === undefined ? `+${table.column}` : table.column;
    return new Batches(this.#db, table, expiryCondition(this.#plan, column), this.#plan.dryRun);
  }

  /**
   * How many rows there are to delete, if it is worth while to follow the index; else `undefined`.
   *
   * An index leads from one page of the table to any other, while a walk through the table reads
   * each page once. Measured, the two are even at one expired row for two pages; with half of the
   * rows expired the walk is nine times faster.
   */
  #countFew(table: Table): number | undefined {
    if (table.index === undefined || this.#plan.dryRun) return undefined;
    const pages = Number(this.#pragma("page_count")) - Number(this.#pragma("freelist_count"));
    const few = Math.ceil(pages / 2);
    const count = this.#batches(table).count(few);
    return count < few ? Math.min(count, this.#plan.maxRows) : undefined;
  }

  async #vacuum(): Promise<void> {
    const { batchTarget, pause } = this.#plan;
    let size = FIRST_BATCH;
    let free = Number(this.#pragma("freelist_count"));
    while (free > 0) {
      let took = 0;
      await this.#patience.run(() => {
        const start = performance.now();
        this.#db.prepare(`PRAGMA incremental_vacuum(${size})`).all();
        took = performance.now() - start;
      });
      const left = Number(this.#pragma("freelist_count"));
      if (left >= free) return;
      this.result.freedPages += free - left;
      free = left;
      size = adapt(size, took, batchTarget, LARGEST_BATCH);
      await this.#patience.rest(pause);
    }
  }

  /** Where somebody is in the way for longer than the busy timeout, the next one may go through. */
  #checkpoint(): void {
    const { checkpoint } = this.#plan;
    if (checkpoint === false || !this.#hasLog) return;
    // A passive one first: it copies without the write lock, which leaves little for the other one.
    let row = this.#db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
    if (checkpoint === "truncate") {
      row = this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    }
    if (row?.busy === 0) this.result.checkpoints++;
    else this.result.blockedCheckpoints++;
  }

  #pragma(name: string): unknown {
    return Object.values(this.#db.prepare(`PRAGMA ${name}`).get()!)[0];
  }
}

/** At most twice or half the size of the last batch, so that one odd batch does little harm. */
function adapt(size: number, took: number, target: number, largest: number): number {
  const factor = Math.min(2, Math.max(0.5, target / took));
  return Math.min(largest, Math.max(1, Math.round(size * factor)));
}
