/**
 * The rules that keep data flowing one way. Each folder of src is a layer, and a layer knows only
 * those below it; what goes up goes as return values or through callbacks handed down.
 *
 * @module
 */

import type { Import, ImportGraph } from "./import_graph.ts";

/** From the bottom up. Layers of one row do not know each other. */
const ROWS: readonly (readonly string[])[] = [
  ["base"],
  ["protocol"],
  ["worker"],
  ["pool"],
  ["schedule"],
  ["scheduler"],
  ["cache", "reconcile", "sweepers"],
  ["observe", "engine"],
  ["dashboard", "cli"],
];

/** For tests of users: it stands beside the rows, sees all of them but the tool that may use it. */
const TESTING = "testing";

/** The rows as one line, for messages. */
export const LAYERS: string = ROWS
  .map((row) => row.length === 1 ? row[0] : `{${row.join(", ")}}`)
  .join(" ← ");

/** Returns one line for each broken rule: the file, the import and the rule. */
export function checkLayers(graph: ImportGraph): string[] {
  const problems = graph.unreadable.map(({ file, why }) => `${file}: cannot be read: ${why}`);
  for (const file of graph.files) {
    if (file.startsWith("src/") && layerOf(file) === undefined) {
      problems.push(`${file}: belongs to no layer: expected a folder of ${LAYERS}, or ${TESTING}`);
    }
  }
  for (const one of graph.imports) {
    const rule = brokenRule(one);
    if (rule !== undefined) problems.push(`${one.from} imports ${one.to}: ${rule}`);
  }
  for (const cycle of findCycles(graph)) {
    problems.push(`${cycle.join(" imports ")}: files must not import each other in a circle`);
  }
  return problems.sort();
}

function brokenRule({ from, to }: Import): string | undefined {
  if (/^(tests|bench)\//.test(to)) return "published code must not need tests or benches";
  if (fileName(to).startsWith("_") && folderOf(from) !== folderOf(to)) {
    return "a file whose name starts with _ belongs to its own folder";
  }
  if (from === "mod.ts") return undefined;
  if (to === "mod.ts") return "mod.ts is the door for users: import the layer itself";

  const upper = layerOf(from);
  const lower = layerOf(to);
  // A file without a layer has been reported already.
  if (upper === undefined || lower === undefined || upper === lower) return undefined;
  if (lower === TESTING) {
    return upper === "cli" ? undefined : `only cli may use the layer ${TESTING}`;
  }
  if (upper === TESTING) {
    return lower === "cli" ? `${TESTING} must not use cli, which may use it` : undefined;
  }
  if (rowOf(lower) < rowOf(upper)) return undefined;
  const relation = rowOf(lower) === rowOf(upper) ? "stands beside" : "is above";
  return `the layer ${lower} ${relation} ${upper}: ${LAYERS}`;
}

/** The folder of src that a file is in, when it is a layer. */
function layerOf(file: string): string | undefined {
  const folder = /^src\/([^/]+)\//.exec(file)?.[1];
  return folder !== undefined && (folder === TESTING || rowOf(folder) >= 0) ? folder : undefined;
}

function rowOf(layer: string): number {
  return ROWS.findIndex((row) => row.includes(layer));
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf("/") + 1);
}

function fileName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

/**
 * Finds circles, each named once: `a`, `b`, `a`. It may name one of several that share files; the
 * others show when that one is gone.
 */
function findCycles(graph: ImportGraph): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of graph.imports) {
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const cycles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (file: string) => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    path.push(file);
    for (const target of next.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of graph.files) visit(file);
  return cycles;
}
