import type { DatabaseSync } from "node:sqlite";
import type { TaskContext } from "../worker/context.ts";
import { Batches } from "./_sqlite_batches.ts";
import { checkUnit, expiryCondition } from "./_sqlite_expiry.ts";
import type { SqlitePlan } from "./_sqlite_input.ts";
import { Patience } from "./_sqlite_patience.ts";
import { emptyResult, type SqliteSweepResult } from "./_sqlite_result.ts";
import { findTable, type Table } from "./_sqlite_table.ts";
import { adapt, FIRST_BATCH, Upkeep } from "./_sqlite_upkeep.ts";

/** One sweep of one table. */
export class SqliteSweep {
  readonly #db: DatabaseSync;
  readonly #plan: SqlitePlan;
  readonly #ctx: TaskContext;
  readonly #patience: Patience;
  readonly #upkeep: Upkeep;
  readonly #start = performance.now();
  #removed = 0;
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
          `the lock for ${Math.round(waited)} ms, after ${this.done}`,
      ));
    this.result = emptyResult(plan, 0);
    this.#upkeep = new Upkeep(db, plan, this.#patience, this.result);
  }

  /** What was done so far, in words. */
  get done(): string {
    return `${this.#removed} rows were deleted`;
  }

  /** Throws at the next batch when the run must stop. */
  async run(): Promise<SqliteSweepResult> {
    const { result } = this;
    const table = await this.#patience.run(() => this.#inspect());
    await this.#delete(table);
    await this.#upkeep.finish(this.#removed > 0);
    result.busyRetries = this.#patience.retries;
    result.durationMs = performance.now() - this.#start;
    return result;
  }

  #inspect(): Table {
    const table = findTable(this.#db, this.#plan);
    this.#upkeep.inspect();
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
        const batch = batches.next(size, maxRows - this.#removed);
        took = performance.now() - start;
        return batch;
      });
      result.batches++;
      this.#removed += batch.removed;
      result.removed = this.#removed;
      result.longestBatchMs = Math.max(result.longestBatchMs, took);
      result.complete = batch.isLast;
      this.#ctx.progress(this.#removed, total);
      if (batch.isLast || this.#removed >= maxRows) return;
      size = adapt(size, took, batchTarget);
      this.#upkeep.afterBatch();
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
    const pages = Number(this.#upkeep.pragma("page_count")) -
      Number(this.#upkeep.pragma("freelist_count"));
    const few = Math.ceil(pages / 2);
    const count = this.#batches(table).count(few);
    return count < few ? Math.min(count, this.#plan.maxRows) : undefined;
  }
}
