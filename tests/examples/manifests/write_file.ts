import type { TaskContext } from "@leash/leash";

/** A file as it is to be. */
export interface WantedFile {
  path: string;
  text: string;
}

/** Writes a file. It could be anything that takes its time, and may break off in the middle. */
export default async function writeFile(file: WantedFile, ctx: TaskContext): Promise<void> {
  await Deno.writeTextFile(file.path, file.text, { signal: ctx.signal });
}
