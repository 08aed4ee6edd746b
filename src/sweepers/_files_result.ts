/** Something that a sweep could not do. */
export interface FilesSweepFailure {
  /** What it was about: a path below `dir`, with `/`; `"."` for `dir` itself. */
  path: string;
  /** The name and the message of the error. */
  error: string;
}

/**
 * What a sweep did. Always `matched === removed + kept + vanished`. It can be sent between workers
 * and written as JSON.
 */
export interface FilesSweepResult {
  /** The root folder, without symbolic links. */
  dir: string;
  /** Nothing was removed: `removed`, `removedBytes` and `removedDirs` tell what would have been. */
  dryRun: boolean;
  /**
   * Regular files that were found. With `buckets`: whatever is no folder in the buckets that had to
   * go; the others are not looked into, and all counts of files are about these.
   */
  scanned: number;
  /** Those of them that the globs select, and that have an instant in their names if that counts. */
  matched: number;
  /** Matched files that were removed. */
  removed: number;
  /**
   * Their size in bytes; `null` when no sizes were read (`buckets`, or `ageFrom: "name"` without
   * `maxTotalSize`).
   */
  removedBytes: number | null;
  /** Matched files that are still there, those that could not be removed among them. */
  kept: number;
  /** Their size in bytes; `null` when no sizes were read. */
  keptBytes: number | null;
  /** Matched files that somebody else removed meanwhile. */
  vanished: number;
  /** Matched files whose age the system does not tell. They are kept. */
  unknownAge: number;
  /** Empty folders that were removed; with `buckets`, those that were in them. */
  removedDirs: number;
  /** Buckets that were removed, with all that was in them. */
  removedBuckets: number;
  /** Buckets that are still there: their end has not come, or not all in them could be removed. */
  keptBuckets: number;
  /** What is neither a bucket nor a link, with `buckets`. It was left alone. */
  skippedNames: number;
  /** Folders that were not entered, because of `exclude` or `maxDepth`. */
  skippedDirs: number;
  /** Symbolic links. They are never followed and never removed. */
  skippedLinks: number;
  /** Sockets, pipes and devices. They are never removed. */
  skippedSpecial: number;
  /** Files and folders that could not be looked at or removed. */
  failed: number;
  /** The first 20 failures. */
  failures: FilesSweepFailure[];
  /** The first 20 files that were removed, as paths below `dir`, with `/`. */
  sample: string[];
  /** How long the sweep took, in milliseconds. */
  durationMs: number;
}

/** How many failures and removed files a result names. */
const NAMED = 20;

/** Counts while the sweep goes on. */
export class FilesTally {
  scanned = 0;
  matched = 0;
  removed = 0;
  vanished = 0;
  unknownAge = 0;
  removedDirs = 0;
  removedBuckets = 0;
  keptBuckets = 0;
  skippedNames = 0;
  skippedDirs = 0;
  skippedLinks = 0;
  skippedSpecial = 0;
  #matchedBytes = 0;
  #removedBytes = 0;
  #vanishedBytes = 0;
  #failed = 0;
  readonly #failures: FilesSweepFailure[] = [];
  readonly #sample: string[] = [];
  readonly #start = performance.now();

  /** A file that the sweep is about. */
  match(size: number): void {
    this.matched++;
    this.#matchedBytes += size;
  }

  /** A matched file that is gone. */
  remove(path: string, size: number): void {
    this.removed++;
    this.#removedBytes += size;
    if (this.#sample.length < NAMED) this.#sample.push(path);
  }

  /** A matched file that somebody else removed. */
  vanish(size: number): void {
    this.vanished++;
    this.#vanishedBytes += size;
  }

  /** Something that could not be done. */
  fail(path: string, error: unknown): void {
    this.#failed++;
    if (this.#failures.length < NAMED) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      this.#failures.push({ path: path.replace(/\/$/, "") || ".", error: `${name}: ${message}` });
    }
  }

  /** The counts so far. */
  toResult(dir: string, dryRun: boolean, hasSizes: boolean): FilesSweepResult {
    const gone = this.#removedBytes + this.#vanishedBytes;
    return {
      dir,
      dryRun,
      scanned: this.scanned,
      matched: this.matched,
      removed: this.removed,
      removedBytes: hasSizes ? this.#removedBytes : null,
      kept: this.matched - this.removed - this.vanished,
      keptBytes: hasSizes ? this.#matchedBytes - gone : null,
      vanished: this.vanished,
      unknownAge: this.unknownAge,
      removedDirs: this.removedDirs,
      removedBuckets: this.removedBuckets,
      keptBuckets: this.keptBuckets,
      skippedNames: this.skippedNames,
      skippedDirs: this.skippedDirs,
      skippedLinks: this.skippedLinks,
      skippedSpecial: this.skippedSpecial,
      failed: this.#failed,
      failures: this.#failures,
      sample: this.#sample,
      durationMs: performance.now() - this.#start,
    };
  }
}
