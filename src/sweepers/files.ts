/**
 * A ready-made task that sweeps a folder: it removes files that are too old, the oldest files until
 * the rest is within a size or a number, or whole folders for a stretch of time.
 *
 * It uses synchronous calls, which are twice as fast as asynchronous ones and leave the main thread
 * alone as long as they are made in a worker.
 *
 * **Safe by default.** Symbolic links are never followed, and never removed but in a bucket. An
 * option that does not exist, or the lack of any criterion, is an error. `dryRun` tells what would
 * be removed. The root of the file system, home directories and folders of the operating system are
 * refused. Before the sweep enters a folder or removes a file it makes sure that the folder is
 * still the one that it saw, so a folder that is swapped for a link does not lead it elsewhere.
 * What remains is the time between that check and the next call, some microseconds: do not sweep a
 * folder that an enemy may write to with more rights than the enemy has, and give the task
 * `permissions: { read: [dir], write: [dir] }`. (Deno follows links inside of a permitted folder,
 * so permissions alone do not keep a program in it.) Mounted file systems are entered; a file with
 * several hard links counts each time.
 *
 * **Buckets.** Files that expire at about the same time may be kept in one folder
 * ({@linkcode bucketPath}). A sweep with `buckets: true` removes such a folder as a whole when the
 * end in its name has come, and asks for the age of no file, which makes it about half as fast
 * again as a sweep by age. It first gives the folder the suffix `.removing`: from then on nobody
 * who goes by the name reads or writes there, and the next sweep knows what a stop or a crash has
 * left over. Here symbolic links are removed with what is around them, but never followed, and a
 * link in place of a bucket is left alone. Who writes into a bucket that has ended may find it gone
 * (`NotFound`), and is too late.
 *
 * **Never fatal.** Files that vanish meanwhile, that cannot be removed, and folders that cannot be
 * read are counted; the sweep goes on. A file that cannot be removed does not make a limit take a
 * newer one instead.
 *
 * **Memory.** One folder's names at a time for each level of depth, and with `maxTotalSize` or
 * `maxFiles` the files that are within the limits: about 200 bytes for each. Deno reads
 * a folder in one call, about a second for a million names, and the run cannot be stopped meanwhile.
 *
 * @module
 */

import type { TaskContext } from "../worker/context.ts";
import { BucketsSweep } from "./_buckets_sweep.ts";
import { type FilesSweepInput, planFiles } from "./_files_input.ts";
import type { FilesSweepResult } from "./_files_result.ts";
import { FilesSweep } from "./_files_sweep.ts";

export type { Duration, DurationUnits } from "../base/duration.ts";
export type { TaskContext, TaskLog } from "../worker/context.ts";
export type { FilesSweepInput } from "./_files_input.ts";
export type { FilesSweepFailure, FilesSweepResult } from "./_files_result.ts";
export type { Bucket, BucketOptions } from "./_bucket.ts";
export { bucketOf, bucketPath } from "./_bucket_path.ts";
export { expiringName, expiryOf } from "./_expiring_name.ts";

/**
 * Sweeps a folder once.
 *
 * When the run must stop, it throws `ctx.signal.reason` at the next entry, or after the folder that
 * a bucket's files are being removed from in one call (see `slice`): what was removed is removed,
 * the next sweep goes on with a bucket that is half empty, and a log record tells how far it got.
 * Progress counts the files that were looked at; the total is not known before the end.
 *
 * @param input What to sweep, and what has to go.
 * @param ctx The context of the run.
 * @returns What was done.
 * @throws {TypeError} When the input has an unknown option, or no criterion.
 * @throws {RangeError} When a number is out of range, or `dir` is too dangerous to sweep.
 * @throws {Deno.errors.NotFound} When `dir` does not exist.
 * @throws {Deno.errors.NotADirectory} When `dir` is no folder.
 *
 * @example As a task
 * ```ts
 * import { every, Scheduler } from "@leash/leash";
 * import { assertEquals } from "@std/assert";
 *
 * const dir = Deno.makeTempDirSync();
 * Deno.writeTextFileSync(`${dir}/thumbnail.jpg`, "1234");
 *
 * const owner = new AbortController();
 * await using scheduler = new Scheduler({ signal: owner.signal });
 * const task = scheduler.add<typeof import("@leash/leash/sweepers/files")>(
 *   import.meta.resolve("@leash/leash/sweepers/files"),
 *   {
 *     name: "sweep thumbnails",
 *     schedule: every({ hours: 1 }),
 *     permissions: { read: [dir], write: [dir] },
 *     input: { dir, olderThan: { days: 7 }, maxTotalSize: 1_000_000_000 },
 *   },
 * );
 * const { value } = await task.trigger();
 * assertEquals([value?.removed, value?.kept, value?.keptBytes], [0, 1, 4]);
 * Deno.removeSync(dir, { recursive: true });
 * ```
 *
 * @example Called directly
 * ```ts
 * import sweepFiles from "@leash/leash/sweepers/files";
 * import { assertEquals } from "@std/assert";
 *
 * const dir = Deno.makeTempDirSync();
 * Deno.writeTextFileSync(`${dir}/old.tmp`, "1234");
 * Deno.utimeSync(`${dir}/old.tmp`, 0, 0);
 * Deno.writeTextFileSync(`${dir}/new.tmp`, "1234");
 *
 * const { signal } = new AbortController();
 * const log = { debug() {}, info() {}, warn() {}, error() {} };
 * const result = await sweepFiles({ dir, olderThan: { days: 7 } }, {
 *   signal,
 *   log,
 *   runId: "1",
 *   attempt: 1,
 *   deadline: undefined,
 *   task: { name: "sweep" },
 *   checkpoint: () => signal.throwIfAborted(),
 *   progress() {},
 * });
 *
 * assertEquals([result.removed, result.removedBytes, result.kept], [1, 4, 1]);
 * assertEquals(result.sample, ["old.tmp"]);
 * Deno.removeSync(dir, { recursive: true });
 * ```
 */
export default async function sweepFiles(
  input: FilesSweepInput,
  ctx: TaskContext,
): Promise<FilesSweepResult> {
  const plan = planFiles(input);
  const sweep = plan.buckets ? new BucketsSweep(plan, ctx) : new FilesSweep(plan, ctx);
  try {
    await sweep.run();
  } catch (error) {
    const { dir, scanned, removed } = sweep.result;
    ctx.log.info(`Stopped sweeping ${dir}: ${removed} of ${scanned} files seen were removed`);
    throw error;
  }
  const { result } = sweep;
  if (result.failed > 0) {
    ctx.log.warn(`Could not sweep ${result.failed} entries of ${result.dir}`, result.failures);
  }
  return result;
}
