import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { TempDir } from "./temp_dir.ts";

/** A database file of its own for one test, and a connection to it. */
export class TempDb implements Disposable {
  readonly #dir = new TempDir();
  /** The file. */
  readonly path: string = this.#dir.at("app.db");
  /** A connection that never waits for a lock. */
  readonly db: DatabaseSync = new DatabaseSync(this.path, { timeout: 0 });

  /** @param setup SQL that is run first. */
  constructor(setup: string) {
    this.db.exec(setup);
  }

  /** Runs one statement for each list of values, in one transaction. */
  insert(sql: string, rows: Iterable<SQLInputValue[]>): void {
    this.db.exec("BEGIN");
    const statement = this.db.prepare(sql);
    for (const row of rows) statement.run(...row);
    this.db.exec("COMMIT");
  }

  /** The first column of all rows. */
  all(sql: string): unknown[] {
    const statement = this.db.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all().map((row) => {
      const value = Object.values(row)[0];
      return typeof value === "bigint" && Number.isSafeInteger(Number(value))
        ? Number(value)
        : value;
    });
  }

  /** The size of the write-ahead log, in bytes. */
  get logSize(): number {
    return Deno.statSync(`${this.path}-wal`).size;
  }

  [Symbol.dispose](): void {
    this.db.close();
    this.#dir[Symbol.dispose]();
  }
}
