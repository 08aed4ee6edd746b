import type { TaskContext } from "../../worker/context.ts";

/** Which files to write. */
export interface WriteFilesInput {
  dir: string;
  count: number;
  /** Ages are spread evenly from 0 to this, in milliseconds. */
  maxAge: number;
}

const FOLDERS = 64;

/** Writes small files whose last change lies in the past. */
export default function writeFiles(
  { dir, count, maxAge }: WriteFilesInput,
  ctx: TaskContext,
): { written: number } {
  for (let folder = 0; folder < FOLDERS; folder++) {
    Deno.mkdirSync(`${dir}/${folder}`, { recursive: true });
  }
  const content = new Uint8Array(512);
  for (let index = 0; index < count; index++) {
    ctx.checkpoint();
    const path = `${dir}/${index % FOLDERS}/${ctx.runId}-${index}.tmp`;
    Deno.writeFileSync(path, content);
    const changed = new Date(Date.now() - Math.random() * maxAge);
    Deno.utimeSync(path, changed, changed);
    ctx.progress(index + 1, count);
  }
  return { written: count };
}
