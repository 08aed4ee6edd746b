import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Import, readImportGraph } from "./support/import_graph.ts";
import { checkLayers } from "./support/layers.ts";

Deno.test("every layer of src imports only the layers below it", async () => {
  const graph = await readImportGraph();
  // An empty graph would pass every rule.
  assert(graph.files.length > 0 && graph.imports.length > 0, "the import graph is empty");
  assertEquals(checkLayers(graph), []);
});

/** Imports that break a rule, and the words that the message must have. */
const BROKEN: [from: string, to: string, rule: string][] = [
  ["src/base/owner.ts", "src/pool/mod.ts", "the layer pool is above base"],
  ["src/worker/context.ts", "src/scheduler/task.ts", "the layer scheduler is above worker"],
  ["src/cache/shared_cache.ts", "src/sweepers/files.ts", "the layer sweepers stands beside cache"],
  ["src/observe/metrics.ts", "src/engine/server.ts", "the layer engine stands beside observe"],
  ["src/pool/worker_pool.ts", "src/testing/leak_guard.ts", "only cli may use the layer testing"],
  ["src/testing/mod.ts", "src/cli/main.ts", "testing must not use cli"],
  ["src/cli/main.ts", "mod.ts", "mod.ts is the door for users"],
  ["src/pool/mod.ts", "src/base/_tree.ts", "belongs to its own folder"],
  ["src/base/clock.ts", "tests/support/clock.ts", "must not need tests or benches"],
  ["src/base/clock.ts", "bench/queue_bench.ts", "must not need tests or benches"],
];

const SOUND: [from: string, to: string][] = [
  ["mod.ts", "src/scheduler/mod.ts"],
  ["src/cli/main.ts", "src/base/duration.ts"],
  ["src/cli/main.ts", "src/testing/mod.ts"],
  ["src/testing/mod.ts", "src/observe/mod.ts"],
  ["src/engine/mod.ts", "src/cache/mod.ts"],
  ["src/pool/worker_pool.ts", "src/pool/_slots.ts"],
  ["src/base/owner.ts", "src/base/clock.ts"],
];

Deno.test("checkLayers() names the file, the import and the rule", () => {
  for (const [from, to, rule] of BROKEN) {
    const [problem = "nothing was found", ...others] = checkLayers(graphOf({ from, to }));
    assertEquals(others, []);
    assertStringIncludes(problem, `${from} imports ${to}: `);
    assertStringIncludes(problem, rule);
  }
});

Deno.test("checkLayers() accepts imports that point down", () => {
  assertEquals(checkLayers(graphOf(...SOUND.map(([from, to]) => ({ from, to })))), []);
});

Deno.test("checkLayers() finds circles, also inside a layer", () => {
  const circle = graphOf(
    { from: "src/base/a.ts", to: "src/base/b.ts" },
    { from: "src/base/b.ts", to: "src/base/c.ts" },
    { from: "src/base/c.ts", to: "src/base/b.ts" },
  );
  assertEquals(checkLayers(circle), [
    "src/base/b.ts imports src/base/c.ts imports src/base/b.ts: " +
    "files must not import each other in a circle",
  ]);
});

Deno.test("checkLayers() reports files outside of the layers and files that cannot be read", () => {
  const graph = {
    files: ["src/helpers.ts", "src/misc/x.ts"],
    imports: [],
    unreadable: [{ file: "src/base/owner.ts", why: "a syntax error" }],
  };
  const problems = checkLayers(graph);
  assertEquals(problems.map((problem) => problem.split(":")[0]), [
    "src/base/owner.ts",
    "src/helpers.ts",
    "src/misc/x.ts",
  ]);
});

function graphOf(...imports: Import[]) {
  const files = new Set(imports.flatMap(({ from, to }) => [from, to]));
  return { files: [...files], imports, unreadable: [] };
}
