/** A worker takes six, and whatever else the program opens needs some too. */
const RESERVE = 24;

/**
 * Makes sure that there are file descriptors for one more worker. Out of descriptors, Deno does not
 * throw: it panics, and the process is gone.
 *
 * It is a look at what the system says of the process, so it holds where that can be read: on Linux,
 * with the permission to read `/proc`.
 *
 * @throws {Deno.errors.Busy} When there are too few.
 */
export function checkDescriptors(): void {
  const limit = readLimit();
  if (limit === Infinity) return;
  const open = countOpen();
  if (limit - open >= RESERVE) return;
  throw new Deno.errors.Busy(
    `Cannot make a worker: expected ${RESERVE} free file descriptors, received ${limit - open} ` +
      `(${open} of ${limit} are open). Close what is not needed, make fewer workers, or raise the ` +
      `limit (ulimit -n)`,
  );
}

function countOpen(): number {
  try {
    return [...Deno.readDirSync("/proc/self/fd")].length;
  } catch {
    // The permission may have been revoked since the limit was read.
    return 0;
  }
}

let known: number | undefined;

function readLimit(): number {
  if (known !== undefined) return known;
  known = Infinity;
  if (Deno.build.os !== "linux") return known;
  try {
    const text = Deno.readTextFileSync("/proc/self/limits");
    Deno.readDirSync("/proc/self/fd");
    known = Number(/^Max open files\s+(\d+)/m.exec(text)?.[1] ?? Infinity);
  } catch {
    // Not permitted, or no such system.
  }
  return known;
}
