/**
 * Reads which file imports which, as Deno sees it: static and dynamic imports, of code and of types.
 *
 * @module
 */

import { OFFLINE, ROOT, runDeno } from "./entries.ts";

/** An import between two files of the repository; paths are relative to its root, with slashes. */
export interface Import {
  from: string;
  to: string;
}

/** The files of the package and the imports that they contain. */
export interface ImportGraph {
  files: string[];
  imports: Import[];
  /** Files that Deno cannot read: their imports are unknown. */
  unreadable: { file: string; why: string }[];
}

/** The parts of `deno info --json` that are used here. */
interface Info {
  modules: {
    specifier: string;
    error?: string;
    dependencies?: {
      specifier: string;
      code?: { specifier?: string };
      type?: { specifier?: string };
    }[];
  }[];
}

/** Reads the graph of mod.ts and all of src. */
export async function readImportGraph(): Promise<ImportGraph> {
  const files = await Array.fromAsync(typeScriptFiles("src"));
  if (await exists("mod.ts")) files.push("mod.ts");
  files.sort();

  // `deno info` takes one root, so a module made for the purpose imports every file.
  const root = await Deno.makeTempFile({ prefix: "import_graph_", suffix: ".ts" });
  try {
    await Deno.writeTextFile(
      root,
      files.map((file) => `import ${JSON.stringify(new URL(file, ROOT).href)};\n`).join(""),
    );
    const output = await runDeno(
      "info",
      "--json",
      "--no-npm",
      "--no-remote",
      "--config=deno.json",
      OFFLINE,
      root,
    );
    return toGraph(files, JSON.parse(output));
  } finally {
    await Deno.remove(root);
  }
}

function toGraph(files: string[], info: Info): ImportGraph {
  const graph: ImportGraph = { files, imports: [], unreadable: [] };
  const known = new Set(files);
  for (const module of info.modules) {
    const from = toPath(module.specifier);
    if (from === undefined || !known.has(from)) continue;
    if (module.error) graph.unreadable.push({ file: from, why: module.error });
    const targets = new Set<string>();
    for (const dependency of module.dependencies ?? []) {
      const to = toPath(dependency.code?.specifier ?? dependency.type?.specifier ?? "");
      if (to === undefined) continue;
      // What stands in for a package is not an import of a file in tests.
      if (to.startsWith("tests/offline/") && !/^(\.|\/|file:)/.test(dependency.specifier)) continue;
      targets.add(to);
    }
    for (const to of targets) graph.imports.push({ from, to });
  }
  return graph;
}

/** The path inside the repository, or `undefined` for anything else. */
function toPath(specifier: string): string | undefined {
  return specifier.startsWith(ROOT.href)
    ? decodeURIComponent(specifier.slice(ROOT.href.length).replace(/[?#].*$/, ""))
    : undefined;
}

async function* typeScriptFiles(directory: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(directory, ROOT))) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory) yield* typeScriptFiles(path);
    else if (/\.[mc]?[jt]sx?$/.test(entry.name)) yield path;
  }
}

function exists(path: string): Promise<boolean> {
  return Deno.stat(new URL(path, ROOT)).then(() => true, () => false);
}
