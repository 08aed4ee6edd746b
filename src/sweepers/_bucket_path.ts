import { type Bucket, bucketAt, type BucketOptions, readBucket } from "./_bucket.ts";

const BUCKET = /^(?:.*[/\\])?(\d{13})-(\d{13})\.bucket$/s;

/**
 * Builds the name of the folder for files that expire at about the same time, for a sweep with
 * `buckets: true`: `<start>-<end>.bucket`, in milliseconds since the epoch. Such a sweep removes
 * whole folders as soon as their end has come, and looks at no file in them.
 *
 * So a file stays for up to one `width` after it has expired. Whoever reads it and cares must know
 * its expiry: keep it in the file, or in its name ({@linkcode expiringName}). With a `width` of a
 * twentieth of the time to live there are some 20 folders, and 5 % more files.
 *
 * @param expiry When the file expires, in milliseconds since the epoch (2001 to 2286), or as a
 * `Date`.
 * @param options How long a bucket is.
 * @returns The path of the folder below `dir`: one segment. It may have to be made.
 * @throws {TypeError} When `width` is no duration.
 * @throws {RangeError} When `expiry` or `width` is out of range.
 *
 * @example
 * ```ts
 * import { bucketPath } from "@leash/leash/sweepers/files";
 * import { assertEquals } from "@std/assert";
 *
 * const dir = Deno.makeTempDirSync();
 * const folder = `${dir}/${bucketPath(Date.UTC(2030, 0, 1, 12, 34), { width: { hours: 1 } })}`;
 * Deno.mkdirSync(folder, { recursive: true });
 * Deno.writeTextFileSync(`${folder}/session-7.json`, "{}");
 *
 * assertEquals(folder, `${dir}/1893499200000-1893502800000.bucket`);
 * Deno.removeSync(dir, { recursive: true });
 * ```
 */
export function bucketPath(expiry: number | Date, options: BucketOptions): string {
  const { start, end } = bucketAt(expiry, options, "build the path of a bucket");
  return `${start}-${end}.bucket`;
}

/**
 * Reads the stretch of time out of a path made by {@linkcode bucketPath}: to find a file without
 * knowing when it expires, look for it in the buckets that have not ended.
 *
 * @param path The path of the folder, with or without folders before it.
 * @returns The bucket; `undefined` when the last segment has another form.
 *
 * @example
 * ```ts
 * import { bucketOf, bucketPath } from "@leash/leash/sweepers/files";
 * import { assertEquals } from "@std/assert";
 *
 * const dir = Deno.makeTempDirSync();
 * Deno.mkdirSync(`${dir}/${bucketPath(Date.UTC(2000, 0, 1) + 1e12, { width: { days: 1 } })}`);
 * Deno.mkdirSync(`${dir}/${bucketPath(Date.UTC(2020, 0, 1), { width: { days: 1 } })}`);
 *
 * const live = [...Deno.readDirSync(dir)].filter(({ name }) => {
 *   const bucket = bucketOf(name);
 *   return bucket !== undefined && bucket.end > Date.now();
 * });
 * assertEquals(live.length, 1);
 * assertEquals(bucketOf("2024-2025.bucket"), undefined);
 * Deno.removeSync(dir, { recursive: true });
 * ```
 */
export function bucketOf(path: string): Bucket | undefined {
  const [, start, end] = BUCKET.exec(path) ?? [];
  return start === undefined || end === undefined ? undefined : readBucket(start, end);
}
