import { every, type Scheduler } from "../mod.ts";
import {
  bucketOf,
  bucketPath,
  expiringName,
  expiryOf,
  type FilesSweepInput,
} from "../src/sweepers/files.ts";
import type { Contestant } from "./_rounds.ts";

const DAY = 86_400_000;

const HOUR = 3_600_000;

/** How the files lie in the folder, and where their age is. */
type Layout = "age" | "name" | "buckets" | "large buckets";

/** The same files, swept in the ways that people do it. The first one is what the others are compared with. */
export async function filesContestants(scheduler: Scheduler, files: number): Promise<Contestant[]> {
  const task = scheduler.add<typeof import("../src/sweepers/files.ts")>(
    new URL("../src/sweepers/files.ts", import.meta.url),
    {
      schedule: every({ hours: 1 }),
      idleTimeout: Infinity,
      input: { dir: "", olderThan: DAY },
    },
  );
  const sweep = (options: Omit<FilesSweepInput, "dir">) => async (dir: string) => {
    const result = await task.trigger({ dir, ...options });
    if (result.outcome !== "succeeded") throw result.error;
  };
  const byAge = sweep({ olderThan: DAY });
  const byBucket = sweep({ buckets: true });
  // What is measured is a sweep by a worker that is there already.
  for (const [layout, run] of [["age", byAge], ["buckets", byBucket]] as const) {
    const warmUp = tree(2, layout);
    await run(warmUp);
    Deno.removeSync(warmUp, { recursive: true });
  }

  const contestant = (
    name: string,
    layout: Layout,
    run: Contestant["run"],
  ): Contestant => ({
    name,
    prepare: () => tree(files, layout),
    run,
    finish: (dir) => expectLeft(dir, files / 2),
  });
  return [
    contestant("synchronous loop, main thread", "age", sweepSync),
    contestant("asynchronous loop, main thread", "age", sweepAsync),
    contestant("Leash: files sweeper in a worker", "age", byAge),
    contestant("expiry in the name: synchronous loop, main thread", "name", sweepNames),
    contestant("expiry in the name: Leash", "name", sweep({ ageFrom: "name" })),
    contestant("folder per bucket: Deno.remove(), main thread", "buckets", removeBuckets),
    contestant("folder per bucket: Leash, 1,000 files each", "buckets", byBucket),
    contestant("folder per bucket: Leash, all in one", "large buckets", byBucket),
    contestant("folder per bucket: rm -rf (the limit)", "buckets", rm),
  ];
}

/** Small files, by default in folders of a thousand; half of them have expired. */
function tree(files: number, layout: Layout): string {
  const dir = Deno.makeTempDirSync({ prefix: "leash-bench-" });
  const content = new Uint8Array(120);
  const now = Date.now();
  const folders = new Set<string>();
  const inBuckets = layout === "buckets" || layout === "large buckets";
  for (let index = 0; index < files; index++) {
    const isExpired = inBuckets ? index < files / 2 : index % 2 === 0;
    const expiry = now + (isExpired ? -DAY : DAY);
    const group = Math.floor(index / 1000);
    const folder = `${dir}/${
      inBuckets
        ? bucketPath(layout === "buckets" ? expiry - group * HOUR : expiry, { width: HOUR })
        : group
    }`;
    if (!folders.has(folder)) Deno.mkdirSync(folder);
    folders.add(folder);
    const name = `session-${index}.json`;
    const path = `${folder}/${layout === "name" ? expiringName(name, expiry) : name}`;
    Deno.writeFileSync(path, content);
    if (layout === "age" && isExpired) Deno.utimeSync(path, 0, 0);
  }
  return dir;
}

function sweepSync(dir: string): void {
  const now = Date.now();
  for (const entry of Deno.readDirSync(dir)) {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory) sweepSync(path);
    else if (now - Deno.statSync(path).mtime!.getTime() >= DAY) Deno.removeSync(path);
  }
}

async function sweepAsync(dir: string): Promise<void> {
  const now = Date.now();
  for await (const entry of Deno.readDir(dir)) {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory) await sweepAsync(path);
    else if (now - (await Deno.stat(path)).mtime!.getTime() >= DAY) await Deno.remove(path);
  }
}

function sweepNames(dir: string): void {
  const now = Date.now();
  for (const entry of Deno.readDirSync(dir)) {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory) sweepNames(path);
    else if ((expiryOf(entry.name) ?? Infinity) <= now) Deno.removeSync(path);
  }
}

function ended(dir: string): string[] {
  const now = Date.now();
  return [...Deno.readDirSync(dir)].filter(({ name }) => (bucketOf(name)?.end ?? Infinity) <= now)
    .map(({ name }) => `${dir}/${name}`);
}

function removeBuckets(dir: string): void {
  for (const path of ended(dir)) Deno.removeSync(path, { recursive: true });
}

async function rm(dir: string): Promise<void> {
  await new Deno.Command("rm", { args: ["-rf", ...ended(dir)] }).output();
}

function expectLeft(dir: string, expected: number): void {
  let left = 0;
  for (const { name } of Deno.readDirSync(dir)) {
    left += [...Deno.readDirSync(`${dir}/${name}`)].length;
  }
  Deno.removeSync(dir, { recursive: true });
  if (left !== expected) {
    throw new Error(`Cannot trust the sweep: expected ${expected} files: received ${left}`);
  }
}
