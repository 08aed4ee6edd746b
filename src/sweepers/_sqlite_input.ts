import { type Duration, toMilliseconds } from "../base/duration.ts";
import { bucketPrefix } from "./_bucket_table.ts";
import { checkKeys, oneOf, text, wholeNumber } from "./_input.ts";
import { toPath } from "./_root.ts";

/** Which rows to delete, and how gently. A sweep with an unknown option deletes nothing and throws. */
export interface SqliteSweepInput {
  /** The database file: a path, or a `file:` URL as a string. It is never created. */
  path: string;
  /**
   * The table, by its bare name. Views, virtual tables and attached databases are refused. With
   * `buckets`, what the names of the tables have in common, as given to {@linkcode bucketTable};
   * upper and lower case differ.
   */
  table: string;
  /**
   * Drop the tables that hold a bucket each (see {@linkcode bucketTable}) and whose end has come,
   * each in a transaction of its own, without a look at their rows (default `false`). All other
   * tables, and views, are left alone. `column`, `unit` and `maxRows` have no meaning with it, and
   * are refused.
   */
  buckets?: boolean;
  /**
   * With `buckets`: count the rows before they go (default `false`). That reads each table once
   * more, and can almost double the time for which a large one holds the write lock.
   */
  countRows?: boolean;
  /**
   * The column that holds the instant when a row expires, or, with `olderThan`, when it was made.
   * `NULL` never expires. It must be given, unless `buckets` is.
   */
  column?: string;
  /**
   * What the column holds (default `"milliseconds"`): a number of milliseconds or seconds since the
   * epoch, or text that SQLite takes for a date (`"iso"`: `2026-01-31`, `2026-01-31 12:00:00`,
   * `2026-01-31T12:00:00.000Z`, `…+01:00`; UTC where no zone stands). Rows that hold something else
   * stay. If most rows of a sample do, the sweep throws.
   */
  unit?: "milliseconds" | "seconds" | "iso";
  /**
   * How long after the instant in the column a row expires, or after its end a bucket goes (default
   * 0). A `Temporal.Duration` cannot be sent to a worker: use milliseconds, or units such as
   * `{ days: 7 }`.
   */
  olderThan?: Duration;
  /** Delete nothing; the result tells what would be deleted (default `false`). */
  dryRun?: boolean;
  /** Delete at most this many rows (default: no limit). */
  maxRows?: number;
  /**
   * How long one batch should hold the write lock (default 20 ms). The batches adapt to it. With
   * `buckets`, as many tables are dropped one after another as fit into it, but a large one takes as
   * long as it takes: choose narrower buckets where that is too long.
   */
  batchTarget?: Duration;
  /** How long to leave the lock to others between two batches (default 5 ms). */
  pause?: Duration;
  /** How long SQLite itself waits for a lock, with the thread blocked (default 50 ms). */
  busyTimeout?: Duration;
  /** How long to try again, with growing pauses, while others hold the lock (default 10 s). */
  giveUpAfter?: Duration;
  /**
   * What keeps the write-ahead log small (default `"truncate"`), every tenth batch and at the end.
   * `"passive"` never makes others wait, but the log does not shrink. Without WAL it does nothing.
   */
  checkpoint?: "truncate" | "passive" | false;
  /** Give free pages back to the file system at the end; needs `auto_vacuum = INCREMENTAL`. */
  vacuum?: "incremental" | false;
  /** The present, in milliseconds since the epoch (default: the clock when the sweep begins). */
  now?: number;
}

/** What all sweeps of a database have in common, checked. */
export interface SqliteCommonPlan {
  readonly path: string;
  readonly table: string;
  /** What ends up to this instant has expired, in milliseconds since the epoch. */
  readonly cutoff: number;
  readonly dryRun: boolean;
  readonly batchTarget: number;
  readonly pause: number;
  readonly busyTimeout: number;
  readonly giveUpAfter: number;
  readonly checkpoint: "truncate" | "passive" | false;
  readonly vacuum: "incremental" | false;
}

/** A checked input for a sweep of rows. */
export interface SqlitePlan extends SqliteCommonPlan {
  readonly buckets: false;
  readonly column: string;
  readonly unit: "milliseconds" | "seconds" | "iso";
  readonly maxRows: number;
}

/** A checked input for a sweep of buckets. */
export interface SqliteBucketsPlan extends SqliteCommonPlan {
  readonly buckets: true;
  /** What the names of the tables begin with. */
  readonly prefix: string;
  readonly countRows: boolean;
}

const KEYS: readonly (keyof SqliteSweepInput)[] = [
  "path",
  "table",
  "buckets",
  "countRows",
  "column",
  "unit",
  "olderThan",
  "dryRun",
  "maxRows",
  "batchTarget",
  "pause",
  "busyTimeout",
  "giveUpAfter",
  "checkpoint",
  "vacuum",
  "now",
];

const WHAT = "sweep a database";

/** Checks the input, and fills in what was left out. */
export function planSqlite(input: SqliteSweepInput): SqlitePlan | SqliteBucketsPlan {
  checkKeys(input, KEYS, WHAT);
  const path = text(input.path, "path", WHAT);
  if (path === ":memory:") {
    throw new TypeError(
      `Cannot ${WHAT}: path must name a file, which others can open: received ${path}`,
    );
  }
  const now = wholeNumber(input.now, Date.now(), 0, "now", WHAT);
  const common = {
    path: toPath(path),
    table: text(input.table, "table", WHAT),
    cutoff: now - toMilliseconds(input.olderThan ?? 0, "olderThan"),
    dryRun: oneOf(input.dryRun, [true, false], false, "dryRun", WHAT),
    batchTarget: toMilliseconds(input.batchTarget ?? 20, "batchTarget", { minimum: 1 }),
    pause: toMilliseconds(input.pause ?? 5, "pause"),
    busyTimeout: Math.round(toMilliseconds(input.busyTimeout ?? 50, "busyTimeout")),
    giveUpAfter: toMilliseconds(input.giveUpAfter ?? 10_000, "giveUpAfter", {
      allowInfinity: true,
    }),
    checkpoint: oneOf(
      input.checkpoint,
      ["truncate", "passive", false],
      "truncate",
      "checkpoint",
      WHAT,
    ),
    vacuum: oneOf(input.vacuum, ["incremental", false], false, "vacuum", WHAT),
  };
  const buckets = oneOf(input.buckets, [true, false], false, "buckets", WHAT);
  refuse(input, buckets ? ["column", "unit", "maxRows"] : ["countRows"], buckets);
  if (buckets) {
    return {
      ...common,
      buckets,
      prefix: bucketPrefix(input.table, WHAT),
      countRows: oneOf(input.countRows, [true, false], false, "countRows", WHAT),
    };
  }
  return {
    ...common,
    buckets,
    column: text(input.column, "column", WHAT),
    unit: oneOf(input.unit, ["milliseconds", "seconds", "iso"], "milliseconds", "unit", WHAT),
    maxRows: wholeNumber(input.maxRows, Infinity, 1, "maxRows", WHAT),
  };
}

/** An option that would be passed over might have been meant to keep something. */
function refuse(
  input: SqliteSweepInput,
  options: readonly (keyof SqliteSweepInput)[],
  buckets: boolean,
): void {
  const other = options.find((option) => input[option] !== undefined);
  if (other === undefined) return;
  throw new TypeError(
    `Cannot ${WHAT}: ${other} has no meaning ${buckets ? "with" : "without"} buckets: ` +
      `received ${Deno.inspect(input[other])}`,
  );
}
