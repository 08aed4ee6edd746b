import { ROOT } from "./entries.ts";

/** A fenced block of the README. */
export interface Block {
  /** The language behind the fence. */
  language: string;
  /** The name in a first line such as `// main.ts`. */
  file: string | undefined;
  text: string;
}

/** The fenced blocks of a Markdown text, in order. */
export function blocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    language: language!,
    file: /^\/\/ (\S+\.ts)\n/.exec(text!)?.[1],
    text: text!,
  }));
}

/** The README of the project. */
export function readReadme(): Promise<string> {
  return Deno.readTextFile(new URL("README.md", ROOT));
}

/**
 * Writes the programs of the README into a new folder, as a reader would, with an import map in place
 * of `deno add`, since the package that they add is the one under test.
 *
 * @returns The folder. The caller removes it.
 */
export async function materialise(blocks: Block[]): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "leash_readme_" });
  for (const { file, text } of blocks) {
    if (file !== undefined) await Deno.writeTextFile(`${dir}/${file}`, text);
  }
  const map = JSON.parse(
    await Deno.readTextFile(new URL("tests/offline/import_map.json", ROOT)),
  ) as { imports: Record<string, string> };
  const imports = Object.fromEntries(
    Object.entries(map.imports).map(([name, path]) => [
      name,
      path.startsWith(".") ? new URL(path, new URL("tests/offline/", ROOT)).href : path,
    ]),
  );
  const config = { unstable: ["worker-options"], lock: false, imports };
  await Deno.writeTextFile(`${dir}/deno.json`, JSON.stringify(config));
  await Deno.mkdir(`${dir}/uploads`);
  await Deno.writeTextFile(`${dir}/uploads/old.txt`, "old");
  await Deno.utime(`${dir}/uploads/old.txt`, new Date(0), new Date(0));
  return dir;
}
