import type { SqliteCommonPlan } from "./_sqlite_input.ts";

/** A bucket that a sweep could not remove. */
export interface SqliteSweepFailure {
  /** Its table. */
  table: string;
  /** The name and the message of the error. */
  error: string;
}

/** What a sweep did. It can be sent between workers and written as JSON. */
export interface SqliteSweepResult {
  /** The database file. */
  path: string;
  /** The table, as it is called in the schema of the input. */
  table: string;
  /** Nothing was deleted: `removed` and `removedBuckets` tell what would have been. */
  dryRun: boolean;
  /**
   * Rows that were deleted; `null` with `buckets` without `countRows`. Rows that a foreign key or a
   * trigger deleted with them do not count.
   */
  removed: number | null;
  /** Buckets whose tables were dropped. */
  removedBuckets: number;
  /** Buckets that are still there: their end has not come, or their tables could not be dropped. */
  keptBuckets: number;
  /** Tables and views that are named like buckets at first sight only. They were left alone. */
  skippedNames: number;
  /** Buckets whose tables could not be dropped, because a foreign key did not let them go. */
  failed: number;
  /** The first 20 failures. */
  failures: SqliteSweepFailure[];
  /** The first 20 tables that were dropped. */
  sample: string[];
  /** `false` when `maxRows` ended the sweep: there may be more. */
  complete: boolean;
  /**
   * The index that was followed; `null` when the sweep went through the whole table, because the
   * column has no index, or because so many rows expired that this is faster.
   */
  index: string | null;
  /** How many batches it took; with `buckets`, one for each table. */
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

/** The result of a sweep that has done nothing yet. */
export function emptyResult(
  { path, table, dryRun }: SqliteCommonPlan,
  removed: number | null,
): SqliteSweepResult {
  return {
    path,
    table,
    dryRun,
    removed,
    removedBuckets: 0,
    keptBuckets: 0,
    skippedNames: 0,
    failed: 0,
    failures: [],
    sample: [],
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
