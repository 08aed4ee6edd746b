import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Expiry } from "./_sqlite_expiry.ts";
import type { Table } from "./_sqlite_table.ts";

/** What one batch did. */
export interface Batch {
  /** Rows that were deleted, or counted in a dry run. */
  readonly removed: number;
  /** There is nothing after it. */
  readonly isLast: boolean;
}

type Key = readonly SQLInputValue[];

/**
 * Deletes expired rows in batches. If the table names an index it follows that. If not it walks through the table once, window by window in the order of the key: the usual
 * `DELETE … WHERE rowid IN (SELECT … LIMIT n)` would read all rows that stay again for each batch.
 */
export class Batches {
  readonly #db: DatabaseSync;
  readonly #table: Table;
  readonly #expiry: Expiry;
  readonly #dryRun: boolean;
  readonly #statements = new Map<string, StatementSync>();
  #after: Key | undefined;

  constructor(db: DatabaseSync, table: Table, expiry: Expiry, dryRun: boolean) {
    this.#db = db;
    this.#table = table;
    this.#expiry = expiry;
    this.#dryRun = dryRun;
  }

  /** How many rows have expired, as far as `limit`. Cheap only with an index. */
  count(limit: number): number {
    const sql = `SELECT 1 FROM ${this.#table.name} WHERE ${this.#expiry.sql} LIMIT $limit`;
    return this.#number(`SELECT count(*) AS n FROM (${sql})`, {
      ...this.#expiry.values,
      $limit: limit,
    });
  }

  /**
   * One batch, in a transaction of its own. When it throws because the database is locked, nothing
   * was done, and it can be called again.
   *
   * @param size Rows to look at.
   * @param most Rows to delete.
   */
  next(size: number, most: number): Batch {
    return this.#table.index === undefined ? this.#window(size, most) : this.#byIndex(size, most);
  }

  #byIndex(size: number, most: number): Batch {
    if (this.#dryRun) {
      return { removed: this.count(Number.isFinite(most) ? most : -1), isLast: true };
    }
    const limit = Math.min(size, most);
    const removed = this.#deleteSome(this.#expiry.sql, this.#table.column, {
      ...this.#expiry.values,
      $limit: limit,
    });
    return { removed, isLast: removed < limit };
  }

  #window(size: number, most: number): Batch {
    const after = this.#after;
    const upTo = this.#endOfWindow(size);
    const range = [
      after && `${tuple(this.#table.key)} > ${tuple(after.map((_, index) => `$after${index}`))}`,
      upTo && `${tuple(this.#table.key)} <= ${tuple(upTo.map((_, index) => `$upTo${index}`))}`,
      this.#expiry.sql,
    ].filter((condition) => condition !== undefined).join(" AND ");
    const values = { ...this.#expiry.values, ...named("after", after), ...named("upTo", upTo) };
    const removed = this.#dryRun
      ? this.#number(`SELECT count(*) AS n FROM ${this.#table.name} WHERE ${range}`, values)
      : this.#deleteRange(range, values, size, most);
    this.#after = upTo;
    // With `most` reached there may be more in the window.
    return { removed, isLast: upTo === undefined && removed < most };
  }

  /** The key of the last row of the window; `undefined` when the table ends before. */
  #endOfWindow(size: number): Key | undefined {
    const { name, key } = this.#table;
    const start = this.#after === undefined
      ? ""
      : `WHERE ${tuple(key)} > ${tuple(key.map((_, index) => `$after${index}`))}`;
    const columns = key.map((part, index) => `${part} AS k${index}`).join(", ");
    const row = this.#prepare(
      `SELECT ${columns} FROM ${name} ${start} ORDER BY ${key.join(", ")} LIMIT 1 OFFSET $offset`,
    ).get({ ...named("after", this.#after), $offset: size - 1 });
    return row === undefined ? undefined : key.map((_, index) => row[`k${index}`]!);
  }

  #deleteRange(
    range: string,
    values: Record<string, SQLInputValue>,
    size: number,
    most: number,
  ): number {
    const { name } = this.#table;
    // A DELETE takes the write lock even where there is nothing to delete.
    const probe = this.#prepare(`SELECT 1 FROM ${name} WHERE ${range} LIMIT 1`);
    if (probe.get(values) === undefined) return 0;
    if (most < size) {
      return this.#deleteSome(range, this.#table.key.join(", "), { ...values, $limit: most });
    }
    return Number(this.#prepare(`DELETE FROM ${name} WHERE ${range}`).run(values).changes);
  }

  #deleteSome(condition: string, order: string, values: Record<string, SQLInputValue>): number {
    const { name, key } = this.#table;
    const sql = `DELETE FROM ${name} WHERE ${tuple(key)} IN ` +
      `(SELECT ${key.join(", ")} FROM ${name} WHERE ${condition} ORDER BY ${order} LIMIT $limit)`;
    return Number(this.#prepare(sql).run(values).changes);
  }

  #number(sql: string, values: Record<string, SQLInputValue>): number {
    return Number(this.#prepare(sql).get(values)!.n);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      // Keys may be larger than what a number holds exactly.
      statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function tuple(parts: readonly string[]): string {
  return `(${parts.join(", ")})`;
}

function named(prefix: string, key: Key | undefined): Record<string, SQLInputValue> {
  return Object.fromEntries(key?.map((value, index) => [`$${prefix}${index}`, value]) ?? []);
}
