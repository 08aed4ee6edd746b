import type { TaskContext } from "../worker/context.ts";
import {
  assertSame,
  type Directory,
  enter,
  isNotEmpty,
  list,
  ReplacedError,
} from "./_directory.ts";
import { expiryOf } from "./_expiring_name.ts";
import type { FilesPlan } from "./_files_input.ts";
import { type FilesSweepResult, FilesTally } from "./_files_result.ts";
import { type Candidate, OldestFirst } from "./_oldest_first.ts";
import { Pace } from "./_pace.ts";
import { openRoot } from "./_root.ts";

/** A folder whose entries are being looked at. */
interface Level {
  readonly directory: Directory;
  readonly entries: Deno.DirEntry[];
}

/** One sweep: goes through the tree depth first, and removes what has to go on the way. */
export class FilesSweep {
  readonly #plan: FilesPlan;
  readonly #ctx: TaskContext;
  readonly #root: Directory;
  readonly #tally = new FilesTally();
  readonly #limits: OldestFirst | undefined;

  constructor(plan: FilesPlan, ctx: TaskContext) {
    this.#plan = plan;
    this.#ctx = ctx;
    this.#root = openRoot(plan.path);
    if (plan.maxTotalSize < Infinity || plan.maxFiles < Infinity) {
      this.#limits = new OldestFirst(plan.maxTotalSize, plan.maxFiles);
    }
  }

  /** What was done so far. */
  get result(): FilesSweepResult {
    return this.#tally.toResult(this.#root.real, this.#plan.dryRun, this.#plan.readsSizes);
  }

  /** One entry, or one file selected by a limit, for each turn of the loop. */
  async run(): Promise<void> {
    const pace = new Pace(this.#ctx, this.#plan.slice);
    const levels: Level[] = [{ directory: this.#root, entries: list(this.#root) }];
    while (true) {
      if (pace.isDue()) {
        this.#ctx.progress(this.#tally.scanned);
        await pace.rest();
      }
      const level = levels.at(-1);
      if (this.#limits?.isOver) {
        this.#removeIfUntouched(this.#limits.take());
      } else if (level === undefined) {
        break;
      } else {
        this.#step(level, levels);
      }
    }
    this.#ctx.progress(this.#tally.scanned, this.#tally.scanned);
  }

  #step({ directory, entries }: Level, levels: Level[]): void {
    const entry = directory.isReplaced ? undefined : entries.pop();
    if (entry === undefined) {
      levels.pop();
      directory.isRead = true;
      this.#removeEmpty(directory);
    } else if (entry.isSymlink) {
      this.#tally.skippedLinks++;
    } else if (entry.isDirectory) {
      const level = this.#descend(directory, entry.name);
      if (level !== undefined) levels.push(level);
    } else if (entry.isFile) {
      this.#weigh(directory, entry.name);
    } else {
      this.#tally.skippedSpecial++;
    }
  }

  #descend(parent: Directory, name: string): Level | undefined {
    const path = parent.relative + name;
    if (parent.depth >= this.#plan.maxDepth || this.#plan.isExcluded(path, name)) {
      this.#tally.skippedDirs++;
      return undefined;
    }
    try {
      const directory = enter(parent, name);
      if (typeof directory === "object") return { directory, entries: list(directory) };
      this.#skip(directory);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) this.#forget(parent);
      else this.#tally.fail(path, error);
    }
    return undefined;
  }

  #weigh(directory: Directory, name: string): void {
    const { ageFrom, now, olderThan, readsSizes } = this.#plan;
    const path = directory.relative + name;
    this.#tally.scanned++;
    if (!this.#plan.isIncluded(path, name) || this.#plan.isExcluded(path, name)) return;
    const expiry = ageFrom === "name" ? expiryOf(name) : undefined;
    if (ageFrom === "name" && expiry === undefined) return;
    const info = readsSizes ? this.#stat(directory, name) : undefined;
    if (readsSizes && info === undefined) return;
    const size = info?.size ?? 0;
    this.#tally.match(size);
    const time = expiry ?? (ageFrom === "name" ? undefined : info?.[ageFrom]?.getTime());
    if (time === undefined) {
      this.#tally.unknownAge++;
      this.#limits?.addFixed(size);
      return;
    }
    const file = { directory, name, time, size };
    const isExpired = ageFrom === "name"
      ? time <= now
      : olderThan !== undefined && now - time >= olderThan;
    if (isExpired) this.#remove(file);
    else this.#limits?.add(file);
  }

  /** A file that cannot be looked at is dealt with here. */
  #stat(directory: Directory, name: string): Deno.FileInfo | undefined {
    try {
      const info = Deno.lstatSync(pathOf(directory, name));
      if (info.isFile) return info;
      // It became something else since the folder was read.
      this.#skip(info.isSymlink ? "link" : "other");
    } catch (error) {
      this.#tally.match(0);
      this.#blame({ directory, name, time: 0, size: 0 }, error);
    }
    return undefined;
  }

  /** A limit may select a file long after it was looked at: what was written or read since stays. */
  #removeIfUntouched(file: Candidate): void {
    const { ageFrom } = this.#plan;
    if (ageFrom !== "name") {
      try {
        const info = Deno.lstatSync(pathOf(file.directory, file.name));
        if (info[ageFrom]?.getTime() !== file.time || info.size !== file.size) return;
      } catch (error) {
        return this.#blame(file, error);
      }
    }
    this.#remove(file);
  }

  #remove(file: Candidate): void {
    const { directory, name, size } = file;
    if (directory.isReplaced) return;
    try {
      if (!this.#plan.dryRun) {
        assertSame(directory);
        Deno.removeSync(pathOf(directory, name));
      }
      this.#tally.remove(directory.relative + name, size);
      this.#forget(directory);
    } catch (error) {
      this.#blame(file, error);
    }
  }

  #blame({ directory, name, size }: Candidate, error: unknown): void {
    if (error instanceof Deno.errors.NotFound) {
      this.#tally.vanish(size);
      this.#forget(directory);
    } else {
      // Not the file is at fault, but the folder; it is told of once.
      const isReplaced = error instanceof ReplacedError;
      this.#tally.fail(isReplaced ? directory.relative : directory.relative + name, error);
    }
  }

  #skip(kind: "link" | "other"): void {
    if (kind === "link") this.#tally.skippedLinks++;
    else this.#tally.skippedSpecial++;
  }

  /** One entry of the folder is gone. */
  #forget(directory: Directory): void {
    directory.left--;
    this.#removeEmpty(directory);
  }

  #removeEmpty(directory: Directory): void {
    const { removeEmptyDirs, emptyDirAge, now, dryRun } = this.#plan;
    if (!removeEmptyDirs || !directory.isRead || directory.isReplaced) return;
    if (directory.left > 0 || directory.parent === undefined) return;
    if (directory.changedAt === null || now - directory.changedAt < emptyDirAge) return;
    try {
      if (!dryRun) {
        assertSame(directory);
        Deno.removeSync(directory.path);
      }
      this.#tally.removedDirs++;
      this.#forget(directory.parent);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) this.#forget(directory.parent);
      // Somebody wrote into it, so it is not empty: nothing went wrong.
      else if (!isNotEmpty(error)) this.#tally.fail(directory.relative, error);
    }
  }
}

function pathOf(directory: Directory, name: string): string {
  return `${directory.path}/${name}`;
}
