import type { DatabaseSync } from "node:sqlite";
import type { TaskContext } from "../worker/context.ts";
import { type BucketTable, findBuckets } from "./_bucket_table.ts";
import type { SqliteBucketsPlan } from "./_sqlite_input.ts";
import { Patience } from "./_sqlite_patience.ts";
import { emptyResult, type SqliteSweepResult } from "./_sqlite_result.ts";
import { quote } from "./_sqlite_table.ts";
import { Upkeep } from "./_sqlite_upkeep.ts";

const NAMED = 20;
const SQLITE_CONSTRAINT = 19;

/** One sweep of the tables that hold a bucket each. */
export class SqliteBucketsSweep {
  readonly #db: DatabaseSync;
  readonly #plan: SqliteBucketsPlan;
  readonly #ctx: TaskContext;
  readonly #patience: Patience;
  readonly #upkeep: Upkeep;
  readonly #start = performance.now();
  /** What was done so far. */
  readonly result: SqliteSweepResult;

  constructor(db: DatabaseSync, plan: SqliteBucketsPlan, ctx: TaskContext) {
    this.#db = db;
    this.#plan = plan;
    this.#ctx = ctx;
    this.result = emptyResult(plan, plan.countRows ? 0 : null);
    this.#patience = new Patience(ctx, plan.giveUpAfter, (waited) =>
      new Deno.errors.Busy(
        `Cannot sweep the buckets of ${JSON.stringify(plan.table)} in ${plan.path}: another ` +
          `connection held the lock for ${Math.round(waited)} ms, after ${this.done}`,
      ));
    this.#upkeep = new Upkeep(db, plan, this.#patience, this.result);
  }

  /** What was done so far, in words. */
  get done(): string {
    return `${this.result.removedBuckets} buckets were dropped`;
  }

  /** Throws at the next table when the run must stop. */
  async run(): Promise<SqliteSweepResult> {
    const { result } = this;
    const { batchTarget, cutoff, dryRun, pause, prefix } = this.#plan;
    const { tables, others } = await this.#patience.run(() => {
      this.#upkeep.inspect();
      return findBuckets(this.#db, prefix);
    });
    const expired = tables.filter(({ bucket }) => bucket.end <= cutoff);
    result.skippedNames = others;
    result.keptBuckets = tables.length - expired.length;
    let end = performance.now() + batchTarget;
    for (const [index, table] of expired.entries()) {
      this.#ctx.checkpoint();
      if (performance.now() >= end) {
        await this.#patience.rest(dryRun ? 0 : pause);
        end = performance.now() + batchTarget;
      }
      await this.#patience.run(() => this.#remove(table));
      this.#ctx.progress(index + 1, expired.length);
      this.#upkeep.afterBatch();
    }
    await this.#upkeep.finish(result.removedBuckets > 0);
    result.complete = true;
    result.busyRetries = this.#patience.retries;
    result.durationMs = performance.now() - this.#start;
    return result;
  }

  /** Throws when the database is locked, and has then done nothing. */
  #remove({ name }: BucketTable): void {
    const { result } = this;
    const start = performance.now();
    try {
      const rows = this.#plan.dryRun ? this.#count(name) : this.#drop(name);
      // Somebody else has dropped it.
      if (rows === undefined) return;
      result.removedBuckets++;
      if (result.removed !== null) result.removed += rows;
      if (result.sample.length < NAMED) result.sample.push(name);
    } catch (error) {
      // A row somewhere else holds on to one of this table. The other tables can go all the same.
      if (!isConstraint(error)) throw error;
      result.keptBuckets++;
      result.failed++;
      const text = `${error.name}: ${error.message}`;
      if (result.failures.length < NAMED) result.failures.push({ table: name, error: text });
    }
    result.batches++;
    result.longestBatchMs = Math.max(result.longestBatchMs, performance.now() - start);
  }

  #drop(name: string): number | undefined {
    this.#run("BEGIN IMMEDIATE");
    try {
      const rows = this.#count(name);
      if (rows === undefined) return undefined;
      this.#run(`DROP TABLE main.${quote(name)}`);
      this.#run("COMMIT");
      return rows;
    } finally {
      // Also after a COMMIT that readers stand in the way of.
      if (this.#db.isTransaction) this.#run("ROLLBACK");
    }
  }

  /** The errors of `exec()` do not tell the code that a locked database is known by. */
  #run(sql: string): void {
    this.#db.prepare(sql).run();
  }

  /** How many rows there are, if that is to be known, else 0; `undefined` when there is no table. */
  #count(name: string): number | undefined {
    const exists = "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?";
    if (this.#db.prepare(exists).get(name) === undefined) return undefined;
    if (!this.#plan.countRows) return 0;
    return Number(this.#db.prepare(`SELECT count(*) AS n FROM main.${quote(name)}`).get()!.n);
  }
}

function isConstraint(error: unknown): error is Error {
  return error instanceof Error && "errcode" in error &&
    (Number(error.errcode) & 0xff) === SQLITE_CONSTRAINT;
}
