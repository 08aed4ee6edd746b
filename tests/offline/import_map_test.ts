import { assertEquals } from "@std/assert";
import { readConfig } from "../support/entries.ts";

/** `--import-map` replaces the imports of deno.json: what the map lacks does not exist offline. */
Deno.test("the offline import map has every import of deno.json", async () => {
  const [config, { imports: map }] = await Promise.all([readConfig(), readMap()]);
  const missing = Object.entries(config.imports)
    .filter(([name, target]) => !provides(map, name) || !samePackage(map, name, target))
    .map(([name]) => name);
  assertEquals(missing, [], "add these to tests/offline/import_map.json");
});

Deno.test("the offline import map has every entry point of the package", async () => {
  const [config, { imports: map }] = await Promise.all([readConfig(), readMap()]);
  const expected = Object.fromEntries(
    Object.entries(config.exports).map(([path, file]) => [
      config.name + path.slice(1),
      file.replace("./", "../../"),
    ]),
  );
  const actual = Object.entries(map).filter(([name]) =>
    name === config.name || name.startsWith(`${config.name}/`)
  );
  assertEquals(Object.fromEntries(actual), expected);
});

Deno.test("every local file of the offline import map exists", async () => {
  const { imports: map } = await readMap();
  const { exports } = await readConfig();
  const entries = new Set(Object.values(exports).map((file) => file.replace("./", "../../")));
  for (const target of Object.values(map)) {
    // The entry points of the package are checked by everything else.
    if (!target.startsWith(".") || entries.has(target)) continue;
    await Deno.stat(new URL(target, import.meta.url));
  }
});

async function readMap(): Promise<{ imports: Record<string, string> }> {
  return JSON.parse(await Deno.readTextFile(new URL("import_map.json", import.meta.url)));
}

/** A package may be mapped as a whole or, when it has no main entry, by its sub-paths. */
function provides(map: Record<string, string>, name: string): boolean {
  return Object.keys(map).some((key) => key === name || key.startsWith(`${name}/`));
}

/** Packages of npm can be had offline too, so both maps must name the same version. */
function samePackage(map: Record<string, string>, name: string, target: string): boolean {
  return target.startsWith("npm:") ? map[name] === target : true;
}
