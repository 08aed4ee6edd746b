/**
 * The entry points of the package, as deno.json names them. Run as a program it prints their paths,
 * for tasks that need all of them; so no list has to be kept in two places.
 *
 * @module
 */

/** The root of the repository. */
export const ROOT = new URL("../../", import.meta.url);

/** What these tools read of deno.json. */
export interface Config {
  name: string;
  exports: Record<string, string>;
  imports: Record<string, string>;
}

/** Reads deno.json. */
export async function readConfig(): Promise<Config> {
  return JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
}

/** Runs Deno at the root and returns its output, with the offline packages in place. */
export async function runDeno(...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: ROOT,
    // Colour codes turn up even inside the JSON of `deno doc`.
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  if (!success) {
    throw new Error(`Cannot run deno ${args.join(" ")}: ${text.decode(stderr).trim()}`);
  }
  return text.decode(stdout);
}

/**
 * The flag for tools that read code without running it. They always use the stand-ins: what they
 * print does not depend on the packages behind the imports, so no network is needed.
 */
export const OFFLINE = "--import-map=tests/offline/import_map.json";

/** An entry point: its name in deno.json and its file. */
export interface Entry {
  name: string;
  file: string;
}

/** The entry points whose files exist, and those whose files do not. */
export async function readEntries(): Promise<{ present: Entry[]; absent: Entry[] }> {
  const { exports } = await readConfig();
  const present: Entry[] = [];
  const absent: Entry[] = [];
  for (const [name, path] of Object.entries(exports)) {
    const file = path.replace(/^\.\//, "");
    const exists = await Deno.stat(new URL(file, ROOT)).then(() => true, () => false);
    (exists ? present : absent).push({ name, file });
  }
  return { present, absent };
}

if (import.meta.main) {
  const { present, absent } = await readEntries();
  // The dry run of publishing fails for these: here a note is enough.
  for (const { name, file } of absent) console.error(`No file for the entry ${name}: ${file}`);
  console.log(present.map(({ file }) => file).join(" "));
}
