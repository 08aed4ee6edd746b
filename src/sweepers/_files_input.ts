import { type Duration, toMilliseconds } from "../base/duration.ts";
import { compileGlob, type Matcher } from "./_glob.ts";
import { checkKeys, oneOf, text, wholeNumber } from "./_input.ts";
import { toPath } from "./_root.ts";

/**
 * What to sweep, and what has to go. At least one of `olderThan`, `maxTotalSize`, `maxFiles`,
 * `ageFrom: "name"` and `buckets` must be given; a sweep with an unknown option deletes nothing and
 * throws.
 */
export interface FilesSweepInput {
  /**
   * The root folder: a path, or a `file:` URL as a string. It may be reached through a symbolic
   * link. The root of the file system, home directories and folders of the operating system are
   * refused.
   */
  dir: string;
  /**
   * Remove files of at least this age; with `buckets`, buckets that ended so long ago (default 0). A
   * `Temporal.Duration` cannot be sent to a worker: use milliseconds, or units such as
   * `{ days: 7 }`.
   */
  olderThan?: Duration;
  /**
   * Remove the folders in `dir` that are buckets (see {@linkcode bucketPath}) and whose end has
   * come, with all that is in them, without a look at any file (default `false`). Symbolic links
   * inside are removed, but never what they lead to. All else in `dir` is left alone, also a link
   * that bears the name of a bucket. The other options that select files have no meaning with it,
   * and are refused.
   */
  buckets?: boolean;
  /**
   * What tells the age of a file (default `"mtime"`): when it was written, when it was read
   * (`"atime"`; many systems record that once a day or never), or the instant in its name when it
   * expires (`"name"`, see {@linkcode expiringName}). With `"name"` all files whose instant has
   * come are removed, and files with other names are left alone.
   */
  ageFrom?: "mtime" | "atime" | "name";
  /** Remove the oldest files until the rest holds at most this many bytes. */
  maxTotalSize?: number;
  /** Remove the oldest files until at most this many are left. */
  maxFiles?: number;
  /**
   * Only files that one of these globs fits. A glob without `/` is compared with the name, at any
   * depth; a glob with `/` with the path below `dir`: `*.tmp`, `/*.tmp`, `logs/**`, `*.{jpg,png}`.
   * `*` and `**` also fit names that begin with a dot. Upper and lower case differ on every system.
   */
  include?: string[];
  /** No files, and nothing below the folders, that one of these globs fits. */
  exclude?: string[];
  /** How many folders below `dir` are entered (default: no limit; 0: only files in `dir` itself). */
  maxDepth?: number;
  /**
   * Remove folders that are empty at the end, from the bottom up, but never `dir` itself (default
   * `false`). Whoever writes there must make the folder anew when it is gone.
   */
  removeEmptyDirs?: boolean;
  /**
   * How long nothing may have been added to an empty folder before it is removed (default one
   * minute): a folder just made by somebody who is about to write into it stays.
   */
  emptyDirAge?: Duration;
  /** Remove nothing; the result tells what would be removed (default `false`). */
  dryRun?: boolean;
  /**
   * How long the sweep works until the event loop of its worker turns (default 20 ms). With
   * `buckets`, a folder of up to 50 files for each millisecond of it (1,000 by default) goes in one
   * call, which is faster; a larger one goes file by file.
   */
  slice?: Duration;
  /** The present, in milliseconds since the epoch (default: the clock when the sweep begins). */
  now?: number;
}

const KEYS: readonly (keyof FilesSweepInput)[] = [
  "dir",
  "olderThan",
  "buckets",
  "ageFrom",
  "maxTotalSize",
  "maxFiles",
  "include",
  "exclude",
  "maxDepth",
  "removeEmptyDirs",
  "emptyDirAge",
  "dryRun",
  "slice",
  "now",
];

const WHAT = "sweep files";

/** What cannot be combined with buckets. */
const NOT_FOR_BUCKETS = [
  "ageFrom",
  "maxTotalSize",
  "maxFiles",
  "include",
  "exclude",
  "maxDepth",
  "removeEmptyDirs",
  "emptyDirAge",
] as const satisfies typeof KEYS;

/** A checked input for a sweep of buckets. */
export interface BucketsPlan {
  readonly buckets: true;
  readonly path: string;
  /** Buckets that end up to this instant have to go. */
  readonly cutoff: number;
  readonly dryRun: boolean;
  readonly slice: number;
}

/** A checked input for a sweep of files. */
export interface FilesPlan {
  readonly buckets: false;
  readonly path: string;
  readonly olderThan: number | undefined;
  readonly ageFrom: "mtime" | "atime" | "name";
  readonly maxTotalSize: number;
  readonly maxFiles: number;
  readonly maxDepth: number;
  readonly removeEmptyDirs: boolean;
  readonly emptyDirAge: number;
  readonly dryRun: boolean;
  readonly slice: number;
  readonly now: number;
  /** Sizes are read, so that byte counts can be told. */
  readonly readsSizes: boolean;
  isIncluded(path: string, name: string): boolean;
  isExcluded(path: string, name: string): boolean;
}

/** Checks the input, and fills in what was left out. */
export function planFiles(input: FilesSweepInput): FilesPlan | BucketsPlan {
  checkKeys(input, KEYS, WHAT);
  const buckets = oneOf(input.buckets, [true, false], false, "buckets", WHAT);
  if (buckets) refuseOthers(input);
  else checkCriteria(input);
  const common = {
    path: toPath(text(input.dir, "dir", WHAT)),
    dryRun: oneOf(input.dryRun, [true, false], false, "dryRun", WHAT),
    slice: toMilliseconds(input.slice ?? 20, "slice", { allowInfinity: true }),
  };
  const now = wholeNumber(input.now, Date.now(), 0, "now", WHAT);
  if (buckets) {
    return { ...common, buckets, cutoff: now - toMilliseconds(input.olderThan ?? 0, "olderThan") };
  }
  const { olderThan, maxTotalSize, maxFiles } = input;
  const ageFrom = oneOf(input.ageFrom, ["mtime", "atime", "name"], "mtime", "ageFrom", WHAT);
  const include = globs(input.include, "include");
  const exclude = globs(input.exclude, "exclude") ?? [];
  return {
    ...common,
    buckets,
    now,
    olderThan: olderThan === undefined ? undefined : toMilliseconds(olderThan, "olderThan"),
    ageFrom,
    maxTotalSize: wholeNumber(maxTotalSize, Infinity, 0, "maxTotalSize", WHAT),
    maxFiles: wholeNumber(maxFiles, Infinity, 0, "maxFiles", WHAT),
    maxDepth: wholeNumber(input.maxDepth, Infinity, 0, "maxDepth", WHAT),
    removeEmptyDirs: oneOf(input.removeEmptyDirs, [true, false], false, "removeEmptyDirs", WHAT),
    emptyDirAge: toMilliseconds(input.emptyDirAge ?? 60_000, "emptyDirAge"),
    readsSizes: ageFrom !== "name" || maxTotalSize !== undefined,
    isIncluded: (path, name) => include?.some((matches) => matches(path, name)) ?? true,
    isExcluded: (path, name) => exclude.some((matches) => matches(path, name)),
  };
}

function checkCriteria(input: FilesSweepInput): void {
  const { ageFrom, olderThan, maxTotalSize, maxFiles } = input;
  if (ageFrom === "name" && olderThan !== undefined) {
    throw new TypeError(
      `Cannot ${WHAT}: olderThan has no meaning with ageFrom "name", because the name holds the ` +
        `instant itself: received ${Deno.inspect(olderThan)}`,
    );
  }
  if (
    ageFrom !== "name" && olderThan === undefined && maxTotalSize === undefined &&
    maxFiles === undefined
  ) {
    throw new TypeError(
      `Cannot ${WHAT}: give at least one of olderThan, maxTotalSize, maxFiles, ageFrom: "name" ` +
        `and buckets: true, or nothing says what has to go: received ${Deno.inspect(input)}`,
    );
  }
}

/** An option that would be passed over might have been meant to keep something. */
function refuseOthers(input: FilesSweepInput): void {
  const other = NOT_FOR_BUCKETS.find((key) => input[key] !== undefined);
  if (other === undefined) return;
  throw new TypeError(
    `Cannot ${WHAT}: ${other} has no meaning with buckets, because a bucket goes as a whole when ` +
      `the end in its name has come: received ${Deno.inspect(input[other])}`,
  );
}

function globs(
  patterns: string[] | undefined,
  option: "include" | "exclude",
): Matcher[] | undefined {
  if (patterns === undefined) return undefined;
  if (!Array.isArray(patterns)) {
    throw new TypeError(
      `Cannot ${WHAT}: ${option} must be an array of globs: received ${Deno.inspect(patterns)}`,
    );
  }
  return patterns.map((pattern) => compileGlob(pattern, option));
}
