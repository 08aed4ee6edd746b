import { every, type Scheduler } from "../mod.ts";
import type { Contestant } from "./_rounds.ts";

const DAY = 86_400_000;

/** The same folder, swept in the ways that people do it. The first one is what the others are compared with. */
export async function filesContestants(scheduler: Scheduler, files: number): Promise<Contestant[]> {
  const task = scheduler.add<typeof import("../src/sweepers/files.ts")>(
    new URL("../src/sweepers/files.ts", import.meta.url),
    {
      schedule: every({ hours: 1 }),
      idleTimeout: Infinity,
      input: { dir: "", olderThan: DAY },
    },
  );
  const sweep = async (dir: string) => {
    const result = await task.trigger({ dir, olderThan: DAY });
    if (result.outcome !== "succeeded") throw result.error;
  };
  // What is measured is a sweep by a worker that is there already.
  const warmUp = tree(2);
  await sweep(warmUp);
  Deno.removeSync(warmUp, { recursive: true });

  const prepare = () => tree(files);
  const finish = (dir: string) => expectLeft(dir, files / 2);
  return [
    { name: "synchronous loop, main thread", prepare, run: sweepSync, finish },
    { name: "asynchronous loop, main thread", prepare, run: sweepAsync, finish },
    { name: "Leash: files sweeper in a worker", prepare, run: sweep, finish },
    { name: "rm -rf of all (the limit)", prepare, run: rm, finish: (dir) => expectLeft(dir, 0) },
  ];
}

/** Small files in folders of a thousand; every other one has expired. */
function tree(files: number): string {
  const dir = Deno.makeTempDirSync({ prefix: "leash-bench-" });
  const content = new Uint8Array(120);
  for (let index = 0; index < files; index++) {
    const folder = `${dir}/${Math.floor(index / 1000)}`;
    if (index % 1000 === 0) Deno.mkdirSync(folder);
    const path = `${folder}/session-${index}.json`;
    Deno.writeFileSync(path, content);
    if (index % 2 === 0) Deno.utimeSync(path, 0, 0);
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

async function rm(dir: string): Promise<void> {
  await new Deno.Command("rm", { args: ["-rf", dir] }).output();
}

function expectLeft(dir: string, expected: number): void {
  let left = 0;
  try {
    for (const { name } of Deno.readDirSync(dir)) {
      left += [...Deno.readDirSync(`${dir}/${name}`)].length;
    }
    Deno.removeSync(dir, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  if (left !== expected) {
    throw new Error(`Cannot trust the sweep: expected ${expected} files: received ${left}`);
  }
}
