import { type Duration, toMilliseconds } from "../base/duration.ts";
import { FIRST_INSTANT, LAST_INSTANT } from "./_expiring_name.ts";

/** A stretch of time. What expires in it is kept in one place, and goes all at once. */
export interface Bucket {
  /** The first instant of it, in milliseconds since the epoch. */
  readonly start: number;
  /** The first instant after it, in milliseconds since the epoch: when the bucket may go. */
  readonly end: number;
}

/** How to cut time into buckets. */
export interface BucketOptions {
  /**
   * How long a bucket is, in whole milliseconds. Buckets are counted from the epoch, so those of a
   * day begin at midnight, UTC. It may change at any time: the name of a bucket says where it ends.
   */
  width: Duration;
}

/**
 * The bucket for something that expires at an instant.
 *
 * @param expiry When it expires.
 * @param options How long a bucket is.
 * @param what What it is for, for the message, as in `build the path of a bucket`.
 */
export function bucketAt(expiry: number | Date, options: BucketOptions, what: string): Bucket {
  if (typeof options !== "object" || options === null || options.width === undefined) {
    throw new TypeError(
      `Cannot ${what}: expected the option width, as in { width: { hours: 1 } }: ` +
        `received ${Deno.inspect(options)}`,
    );
  }
  const width = toMilliseconds(options.width, "width", { minimum: 1 });
  if (!Number.isSafeInteger(width)) {
    throw new RangeError(
      `Cannot ${what}: width must be a whole number of milliseconds: received ${width}`,
    );
  }
  const instant = typeof expiry === "number" || expiry instanceof Date
    ? Math.floor(Number(expiry))
    : NaN;
  const start = instant - instant % width;
  if (!isBucket(start, start + width)) {
    throw new RangeError(
      `Cannot ${what}: expiry must be milliseconds since the epoch, and its bucket within ` +
        `${FIRST_INSTANT} to ${LAST_INSTANT}: received ${Deno.inspect(expiry)}, width ${width}`,
    );
  }
  return { start, end: start + width };
}

/** The bucket that a name speaks of; `undefined` where {@linkcode bucketAt} makes no such one. */
export function readBucket(start: string, end: string): Bucket | undefined {
  const bucket = { start: Number(start), end: Number(end) };
  return isBucket(bucket.start, bucket.end) ? bucket : undefined;
}

/** Also tells two numbers that only look like a bucket from those of one. */
function isBucket(start: number, end: number): boolean {
  return start >= FIRST_INSTANT && start < end && end <= LAST_INSTANT &&
    start % (end - start) === 0;
}
