import { sep } from "node:path";
import type { TaskContext } from "../worker/context.ts";
import { type Bucket, readBucket } from "./_bucket.ts";
import {
  assertSame,
  type Directory,
  enter,
  isNotEmpty,
  list,
  ReplacedError,
} from "./_directory.ts";
import type { BucketsPlan } from "./_files_input.ts";
import { type FilesSweepResult, FilesTally } from "./_files_result.ts";
import { Pace } from "./_pace.ts";
import { openRoot } from "./_root.ts";

/** A folder whose entries are being removed. */
interface Level {
  readonly directory: Directory;
  readonly entries: Deno.DirEntry[];
}

/** A bucket that has to go. */
interface Expired {
  readonly bucket: Bucket;
  readonly name: string;
  /** A sweep has begun to remove it, and was stopped. */
  readonly isBegun: boolean;
}

const BUCKET = /^(\d{13})-(\d{13})\.bucket(\.removing)?$/;

const REMOVING = ".removing";

/** What one call removes while nothing else is heard, for each millisecond of a slice. */
const AT_ONCE = 50;

/**
 * One sweep of the buckets in a folder.
 *
 * A bucket gets another name before anything in it is removed. So it is gone for readers at once
 * and as a whole, nobody can write into it meanwhile, and what a stop or a crash leaves over is
 * known.
 */
export class BucketsSweep {
  readonly #plan: BucketsPlan;
  readonly #ctx: TaskContext;
  readonly #root: Directory;
  readonly #pace: Pace;
  readonly #tally = new FilesTally();

  constructor(plan: BucketsPlan, ctx: TaskContext) {
    this.#plan = plan;
    this.#ctx = ctx;
    this.#root = openRoot(plan.path);
    this.#pace = new Pace(ctx, plan.slice);
  }

  /** What was done so far. */
  get result(): FilesSweepResult {
    return this.#tally.toResult(this.#root.real, this.#plan.dryRun, false);
  }

  /** One entry, or one small folder, for each check whether the run must stop. */
  async run(): Promise<void> {
    const levels: Level[] = [];
    for (const expired of this.#findExpired()) {
      await this.#breathe();
      const bucket = this.#seize(expired);
      if (this.#root.isReplaced) break;
      if (bucket !== undefined) this.#open(bucket, levels);
      while (levels.length > 0) {
        await this.#breathe();
        this.#step(levels);
      }
    }
    this.#ctx.progress(this.#tally.scanned, this.#tally.scanned);
  }

  async #breathe(): Promise<void> {
    if (!this.#pace.isDue()) return;
    this.#ctx.progress(this.#tally.scanned);
    await this.#pace.rest();
  }

  /** In the order in which they ended; what another sweep has begun comes before its namesake. */
  #findExpired(): Expired[] {
    const found: Expired[] = [];
    for (const { name, isDirectory, isSymlink } of list(this.#root)) {
      const [, start, end, suffix] = BUCKET.exec(name) ?? [];
      const bucket = start && end ? readBucket(start, end) : undefined;
      if (isSymlink) this.#tally.skippedLinks++;
      else if (bucket === undefined || !isDirectory) this.#tally.skippedNames++;
      else if (bucket.end > this.#plan.cutoff) this.#tally.keptBuckets++;
      else found.push({ bucket, name, isBegun: suffix !== undefined });
    }
    return found.sort((a, b) =>
      a.bucket.end - b.bucket.end || a.bucket.start - b.bucket.start ||
      Number(b.isBegun) - Number(a.isBegun)
    );
  }

  /** Gives the bucket the name under which it is removed. Failures are dealt with here. */
  #seize({ name, isBegun }: Expired): Directory | undefined {
    const root = this.#root;
    try {
      assertSame(root);
      const bucket = enter(root, name);
      if (bucket === "link") this.#tally.skippedLinks++;
      else if (bucket === "other") this.#tally.skippedNames++;
      else if (isBegun || this.#plan.dryRun) return bucket;
      else {
        const seized = sep + name + REMOVING;
        Deno.renameSync(bucket.path, root.path + seized);
        return { ...bucket, path: root.path + seized, real: root.real + seized };
      }
    } catch (error) {
      // Somebody else has removed it.
      if (error instanceof Deno.errors.NotFound && !root.isReplaced) return undefined;
      this.#tally.keptBuckets++;
      this.#tally.fail(root.isReplaced ? "." : name, error);
    }
    return undefined;
  }

  /** Reads a folder, and removes it at once if that is quickly done. Else it is the next level. */
  #open(directory: Directory, levels: Level[]): void {
    try {
      const entries = list(directory);
      this.#count(entries);
      const isSmall = entries.length <= this.#plan.slice * AT_ONCE &&
        entries.every(({ isDirectory }) => !isDirectory);
      const left = isSmall && !this.#plan.dryRun ? this.#removeAtOnce(directory, entries) : entries;
      if (left !== undefined) levels.push({ directory, entries: left });
    } catch (error) {
      this.#blame(directory, error);
    }
  }

  #count(entries: readonly Deno.DirEntry[]): void {
    for (const { isDirectory } of entries) {
      if (isDirectory) continue;
      this.#tally.scanned++;
      this.#tally.match(0);
    }
  }

  /** Returns what could not be removed; `undefined` when the folder is gone. */
  #removeAtOnce(directory: Directory, entries: Deno.DirEntry[]): Deno.DirEntry[] | undefined {
    let left: Deno.DirEntry[] | undefined;
    assertSame(directory);
    try {
      // Below a folder that it has opened, this call of the system is led nowhere else by any link.
      Deno.removeSync(directory.path, { recursive: true });
    } catch {
      // What is left is tried one by one, which tells the reason.
      left = this.#listAgain(directory, entries);
    }
    const names = new Set(left?.map(({ name }) => name));
    for (const { name } of entries) {
      if (names.delete(name)) continue;
      this.#tally.remove(directory.relative + name, 0);
    }
    if (left === undefined) this.#forget(directory);
    // Names that were not there before.
    else this.#count(left.filter(({ name }) => names.has(name)));
    return left;
  }

  #listAgain(directory: Directory, before: readonly Deno.DirEntry[]): Deno.DirEntry[] {
    try {
      return list(directory);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) before.forEach(() => this.#tally.vanish(0));
      throw error;
    }
  }

  #step(levels: Level[]): void {
    const { directory, entries } = levels.at(-1)!;
    const entry = directory.isReplaced ? undefined : entries.pop();
    if (entry === undefined) {
      levels.pop();
      this.#removeEmptied(directory);
    } else if (entry.isDirectory) {
      this.#descend(directory, entry.name, levels);
    } else {
      this.#remove(directory, entry.name);
    }
  }

  #descend(parent: Directory, name: string, levels: Level[]): void {
    try {
      const directory = enter(parent, name);
      // What became something else than a folder since is found by the next sweep.
      if (typeof directory === "object") this.#open(directory, levels);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) parent.left--;
      else this.#tally.fail(parent.relative + name, error);
    }
  }

  #remove(directory: Directory, name: string): void {
    const path = directory.relative + name;
    try {
      if (!this.#plan.dryRun) {
        assertSame(directory);
        Deno.removeSync(`${directory.path}/${name}`);
      }
      this.#tally.remove(path, 0);
      directory.left--;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) {
        this.#tally.vanish(0);
        directory.left--;
      } else {
        // Not the file is at fault, but the folder; it is told of once.
        this.#tally.fail(error instanceof ReplacedError ? directory.relative : path, error);
      }
    }
  }

  #removeEmptied(directory: Directory): void {
    if (directory.left > 0 || directory.isReplaced) return this.#keep(directory);
    try {
      if (!this.#plan.dryRun) {
        assertSame(directory);
        Deno.removeSync(directory.path);
      }
      this.#forget(directory);
    } catch (error) {
      this.#blame(directory, error);
    }
  }

  /** A folder is gone. */
  #forget({ parent }: Directory): void {
    if (parent === this.#root) this.#tally.removedBuckets++;
    else this.#tally.removedDirs++;
    if (parent !== undefined) parent.left--;
  }

  /** A folder stays. */
  #keep({ parent }: Directory): void {
    if (parent === this.#root) this.#tally.keptBuckets++;
  }

  #blame(directory: Directory, error: unknown): void {
    if (error instanceof Deno.errors.NotFound) {
      // Somebody else has removed it.
      if (directory.parent !== undefined) directory.parent.left--;
      return;
    }
    this.#keep(directory);
    // Somebody wrote into it, so it is not empty: nothing went wrong.
    if (!isNotEmpty(error)) this.#tally.fail(directory.relative, error);
  }
}
