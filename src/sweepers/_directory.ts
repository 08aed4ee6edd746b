import { sep } from "node:path";

/** A folder that the sweep is in, and what it was when the sweep entered it. */
export interface Directory {
  /** Where it is, as the user spells the root: permissions may name that spelling only. */
  readonly path: string;
  /** Where it is, without any symbolic link. */
  readonly real: string;
  /** Where it is below the root: `""` or `"a/b/"`. */
  readonly relative: string;
  /** 0 for the root. */
  readonly depth: number;
  /** The folder that it is in; `undefined` for the root. */
  readonly parent: Directory | undefined;
  /** The device and the inode tell it from another folder that took its place. */
  readonly dev: number;
  /** `null` where the system does not tell. */
  readonly ino: number | null;
  /** When entries were last added or removed, before the sweep did so; `null` where unknown. */
  readonly changedAt: number | null;
  /** How many of its entries are left, as far as the sweep knows. */
  left: number;
  /** All its entries were looked at. */
  isRead: boolean;
  /** Another folder, or a link, took its place. */
  isReplaced: boolean;
}

/** Something else stands where a folder was. */
export class ReplacedError extends Error {
  override readonly name = "ReplacedError";

  constructor() {
    super("something else took the place of this folder during the sweep");
  }
}

/**
 * Looks at a folder before the sweep descends into it.
 *
 * @returns The folder, or what else there is instead of one.
 * @throws {ReplacedError} When a folder above it was swapped for a link that leads elsewhere.
 */
export function enter(parent: Directory, name: string): Directory | "link" | "other" {
  const path = parent.path + sep + name;
  const info = Deno.lstatSync(path);
  if (info.isSymlink) return "link";
  if (!info.isDirectory) return "other";
  const real = Deno.realPathSync(path);
  if (real !== parent.real + sep + name) throw new ReplacedError();
  return {
    path,
    real,
    relative: `${parent.relative}${name}/`,
    depth: parent.depth + 1,
    parent,
    dev: info.dev,
    ino: info.ino,
    changedAt: info.mtime?.getTime() ?? null,
    left: 0,
    isRead: false,
    isReplaced: false,
  };
}

/**
 * Reads the names in a folder. Deno reads all of them in one call.
 *
 * @throws {ReplacedError} When the names may be those of another folder.
 */
export function list(directory: Directory): Deno.DirEntry[] {
  const entries = [...Deno.readDirSync(directory.path)];
  assertSame(directory);
  directory.left = entries.length;
  return entries;
}

/**
 * Makes sure that the path of a folder still leads to that folder. There is no `unlinkat` in Deno,
 * so somebody who may write there can still swap a folder in the microseconds between this check
 * and the call that follows.
 *
 * @throws {ReplacedError} When it leads elsewhere.
 */
export function assertSame(directory: Directory): void {
  // The root may be reached through a link; below it no link is ever followed.
  const info = directory.parent === undefined
    ? Deno.statSync(directory.path)
    : Deno.lstatSync(directory.path);
  const isSame = info.isDirectory && info.dev === directory.dev && info.ino === directory.ino &&
    (info.ino !== null || Deno.realPathSync(directory.path) === directory.real);
  if (isSame) return;
  directory.isReplaced = true;
  throw new ReplacedError();
}

/** Whether a folder could not be removed only because there is something in it. */
export function isNotEmpty(error: unknown): boolean {
  return error instanceof Error && "code" in error &&
    (error.code === "ENOTEMPTY" || error.code === "EEXIST");
}
