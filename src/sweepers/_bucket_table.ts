import type { DatabaseSync } from "node:sqlite";
import { type Bucket, bucketAt, type BucketOptions, readBucket } from "./_bucket.ts";
import { wholeNumber } from "./_input.ts";

const INFIX = "_bucket_";
const RANGE = /^(\d{13})_(\d{13})$/;
/** What needs no quotes in SQL, and cannot be mistaken for anything but a name. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A table that holds the rows of one bucket. */
export interface BucketTable {
  readonly name: string;
  readonly bucket: Bucket;
}

/**
 * Builds the name of the table for rows that expire at about the same time, for a sweep with
 * `buckets: true`: `<table>_bucket_<start>_<end>`, in milliseconds since the epoch. Such a sweep
 * drops whole tables as soon as their end has come. With random keys and an index that is more than
 * fifty times as fast as a sweep of the rows; with neither, some six times.
 *
 * So a row stays for up to one `width` after it has expired: keep its expiry in a column if that
 * matters to those who read it. The name needs no quotes in SQL.
 *
 * @param table What all these tables have in common: letters, digits and `_`, no digit first.
 * @param expiry When the row expires, in milliseconds since the epoch (2001 to 2286), or as a
 * `Date`.
 * @param options How long a bucket is.
 * @returns The name of the table. It may have to be made.
 * @throws {TypeError} When `table` is no such name, or `width` no duration.
 * @throws {RangeError} When `expiry` or `width` is out of range.
 *
 * @example Write, and read from what is live
 * ```ts
 * import { bucketTable, liveBuckets } from "@leash/leash/sweepers/sqlite";
 * import { assertEquals } from "@std/assert";
 * import { DatabaseSync } from "node:sqlite";
 *
 * const db = new DatabaseSync(":memory:");
 * const width = { hours: 1 };
 *
 * function set(key: string, value: string, expiresAt: number): void {
 *   const table = bucketTable("sessions", expiresAt, { width });
 *   db.exec(`CREATE TABLE IF NOT EXISTS ${table} (key TEXT PRIMARY KEY, expires_at, value)`);
 *   db.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?)`).run(key, expiresAt, value);
 * }
 *
 * function get(key: string): unknown {
 *   // The latest first: what was written again with a later expiry is found there.
 *   for (const table of liveBuckets(db, "sessions")) {
 *     const row = db.prepare(`SELECT expires_at, value FROM ${table} WHERE key = ?`).get(key);
 *     if (row !== undefined) return Number(row.expires_at) > Date.now() ? row.value : undefined;
 *   }
 * }
 *
 * set("mine", "old", Date.now() + 600_000);
 * set("mine", "new", Date.now() + 7_200_000);
 * assertEquals(get("mine"), "new");
 * ```
 */
export function bucketTable(table: string, expiry: number | Date, options: BucketOptions): string {
  const prefix = bucketPrefix(table, "name a bucket table");
  const { start, end } = bucketAt(expiry, options, "name a bucket table");
  return `${prefix}${start}_${end}`;
}

/**
 * Lists the tables made by {@linkcode bucketTable} whose end has not come, those that end last
 * first: to find a row without knowing when it expires, look for it in them.
 *
 * It reads the schema, so keep the list for a while where you read often. A sweep may drop a table
 * as soon as it has ended; to be sure of one for longer, read in a transaction, or let the sweep
 * wait (`olderThan`).
 *
 * @param db The database.
 * @param table What all these tables have in common, as given to {@linkcode bucketTable}.
 * @param options `now`: the present, in milliseconds since the epoch (default: the clock).
 * @returns Names that need no quotes in SQL.
 * @throws {TypeError} When `table` is no such name.
 * @throws {RangeError} When `now` is no whole number.
 */
export function liveBuckets(
  db: DatabaseSync,
  table: string,
  options: { now?: number } = {},
): string[] {
  const now = wholeNumber(options.now, Date.now(), 0, "now", "list live buckets");
  return findBuckets(db, bucketPrefix(table, "list live buckets")).tables
    .filter(({ bucket }) => bucket.end > now)
    .reverse()
    .map(({ name }) => name);
}

/** What the names of the bucket tables begin with. */
export function bucketPrefix(table: unknown, what: string): string {
  if (typeof table === "string" && NAME.test(table) && !/^sqlite_/i.test(table)) {
    return table + INFIX;
  }
  throw new TypeError(
    `Cannot ${what}: table must be letters, digits and _, with no digit and no sqlite_ first: ` +
      `received ${Deno.inspect(table)}`,
  );
}

/**
 * Finds the tables of buckets, in the order in which they end, and counts what only begins like
 * one. Views, virtual tables, and tables of attached or temporary databases are none.
 */
export function findBuckets(
  db: DatabaseSync,
  prefix: string,
): { tables: BucketTable[]; others: number } {
  const tables: BucketTable[] = [];
  let others = 0;
  const listed = db.prepare("SELECT name, type FROM pragma_table_list WHERE schema = 'main'")
    .all() as { name: string; type: string }[];
  for (const { name, type } of listed) {
    if (!name.startsWith(prefix)) continue;
    const [, start, end] = RANGE.exec(name.slice(prefix.length)) ?? [];
    const bucket = start && end ? readBucket(start, end) : undefined;
    if (bucket !== undefined && type === "table") tables.push({ name, bucket });
    else others++;
  }
  tables.sort((a, b) => a.bucket.end - b.bucket.end || a.bucket.start - b.bucket.start);
  return { tables, others };
}
