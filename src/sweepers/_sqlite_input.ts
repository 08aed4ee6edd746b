import { type Duration, toMilliseconds } from "../base/duration.ts";
import { checkKeys, oneOf, text, wholeNumber } from "./_input.ts";
import { toPath } from "./_root.ts";

/** Which rows to delete, and how gently. A sweep with an unknown option deletes nothing and throws. */
export interface SqliteSweepInput {
  /** The database file: a path, or a `file:` URL as a string. It is never created. */
  path: string;
  /** The table, by its bare name. Views, virtual tables and attached databases are refused. */
  table: string;
  /**
   * The column that holds the instant when a row expires, or, with `olderThan`, when it was made.
   * `NULL` never expires.
   */
  column: string;
  /**
   * What the column holds (default `"milliseconds"`): a number of milliseconds or seconds since the
   * epoch, or text that SQLite takes for a date (`"iso"`: `2026-01-31`, `2026-01-31 12:00:00`,
   * `2026-01-31T12:00:00.000Z`, `…+01:00`; UTC where no zone stands). Rows that hold something else
   * stay. If most rows of a sample do, the sweep throws.
   */
  unit?: "milliseconds" | "seconds" | "iso";
  /**
   * How long after the instant in the column a row expires (default 0). A `Temporal.Duration`
   * cannot be sent to a worker: use milliseconds, or units such as `{ days: 7 }`.
   */
  olderThan?: Duration;
  /** Delete nothing; the result tells how many rows would be deleted (default `false`). */
  dryRun?: boolean;
  /** Delete at most this many rows (default: no limit). */
  maxRows?: number;
  /** How long one batch should hold the write lock (default 20 ms). The batches adapt to it. */
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

/** A checked input. */
export interface SqlitePlan {
  readonly path: string;
  readonly table: string;
  readonly column: string;
  readonly unit: "milliseconds" | "seconds" | "iso";
  /** Rows up to this instant have expired, in milliseconds since the epoch. */
  readonly cutoff: number;
  readonly dryRun: boolean;
  readonly maxRows: number;
  readonly batchTarget: number;
  readonly pause: number;
  readonly busyTimeout: number;
  readonly giveUpAfter: number;
  readonly checkpoint: "truncate" | "passive" | false;
  readonly vacuum: "incremental" | false;
}

const KEYS: readonly (keyof SqliteSweepInput)[] = [
  "path",
  "table",
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
export function planSqlite(input: SqliteSweepInput): SqlitePlan {
  checkKeys(input, KEYS, WHAT);
  const path = text(input.path, "path", WHAT);
  if (path === ":memory:") {
    throw new TypeError(
      `Cannot ${WHAT}: path must name a file, which others can open: received ${path}`,
    );
  }
  const now = wholeNumber(input.now, Date.now(), 0, "now", WHAT);
  return {
    path: toPath(path),
    table: text(input.table, "table", WHAT),
    column: text(input.column, "column", WHAT),
    unit: oneOf(input.unit, ["milliseconds", "seconds", "iso"], "milliseconds", "unit", WHAT),
    cutoff: now - toMilliseconds(input.olderThan ?? 0, "olderThan"),
    dryRun: oneOf(input.dryRun, [true, false], false, "dryRun", WHAT),
    maxRows: wholeNumber(input.maxRows, Infinity, 1, "maxRows", WHAT),
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
}
