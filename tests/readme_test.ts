import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Child, type ChildResult, denoCommand } from "./support/child.ts";
import { Cli } from "./support/cli.ts";
import { ROOT } from "./support/entries.ts";
import { blocks, materialise, readReadme } from "./support/readme.ts";

const all = blocks(await readReadme());

/** What each program of the README prints; those that run until a signal comes get one. */
const PROGRAMS: Record<string, { prints: string; signal?: true }> = {
  "main.ts": { prints: "sweep succeeded in", signal: true },
  "outcomes.ts": { prints: "succeeded done after 2 attempts" },
  "stuck.ts": { prints: "stuck: loop" },
  "permissions.ts": { prints: "NotCapable" },
  "pool.ts": { prints: "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" },
  "isolation.ts": { prints: "timed-out killed" },
  "buckets.ts": { prints: "1 removed, 1 kept\n1 removed, 1 kept\n1 to read from" },
  "cache.ts": { prints: "<h1>Hello</h1>" },
  "controller.ts": { prints: "requeue-after" },
  "metrics.ts": { prints: 'leash_workers{state="stuck"} 0' },
};

/** Modules that the programs use, or that the command line runs. */
const MODULES = [
  "digest.ts",
  "reconcile_volume.ts",
  "sweep.ts",
  "flaky.ts",
  "peek.ts",
  "schedules.ts",
  "tasks.ts",
  "main_test.ts",
];

/** Tables that tests print into a file, by their marks in the README. */
const TABLES: Record<string, string> = {
  isolation: "tests/conformance/table.md",
  leaks: "tests/testing/leaks_table.md",
};

Deno.test("every code block of the README has a name, and the tests know it", () => {
  const code = all.filter(({ language }) => language === "ts");
  assertEquals(
    code.map(({ file }) => file).toSorted(),
    [...Object.keys(PROGRAMS), ...MODULES].toSorted(),
  );
});

Deno.test("the programs of the README do what it says", async (t) => {
  const dir = await materialise(all);
  const steps = Object.entries(PROGRAMS).map(([file, { prints, signal }]) =>
    t.step({
      name: file,
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      async fn() {
        await using child = new Child(denoCommand("run", "-A", file), { cwd: dir });
        // What a scheduler says of its runs goes to stderr.
        if (signal) await child.untilError(new RegExp(RegExp.escape(prints)));
        else await child.until(new RegExp(RegExp.escape(prints)));
        if (signal) child.kill("SIGINT");
        await succeeds(child);
      },
    })
  );
  await Promise.all(steps);
  assertEquals([...Deno.readDirSync(`${dir}/uploads`)], []);

  await t.step("types and tests", async () => {
    const files = [...Object.keys(PROGRAMS), ...MODULES];
    await using check = new Child(denoCommand("check", ...files), { cwd: dir });
    await succeeds(check);
    await using test = new Child(denoCommand("test", "-A", "main_test.ts"), { cwd: dir });
    assertStringIncludes((await succeeds(test)).stdout, "2 passed");
  });

  await t.step("the command line lists the tasks", async () => {
    const main = new URL("src/cli/main.ts", ROOT).href;
    await using list = new Child(denoCommand("run", "-A", main, "list", "tasks.ts"), { cwd: dir });
    const { stdout } = await succeeds(list);
    assertStringIncludes(stdout, "uploads");
    assertStringIncludes(stdout, "sessions");
  });
  await Deno.remove(dir, { recursive: true });
});

Deno.test("the tables of the README are those that the tests printed", async () => {
  const cells = (text: string): string[] =>
    text.split("\n").map((line) => line.replace(/[ -]+/g, " ").trim())
      .filter((line) => line.startsWith("|"));
  const text = await readReadme();
  for (const [mark, file] of Object.entries(TABLES)) {
    const part = text.split(`<!-- ${mark} -->`)[1]!.split(`<!-- /${mark} -->`)[0]!;
    const printed = await Deno.readTextFile(new URL(file, ROOT));
    assertEquals(cells(part), cells(printed), `copy ${file} into the README`);
  }
});

Deno.test("every command of the README exists", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const text = await readReadme();
  const named = [...text.matchAll(/deno(?:@[\d.]+)? task ([a-z][\w:]*)/g)].map(([, name]) => name!);
  assert(named.length >= 4);
  for (const name of named) assert(name in tasks, `deno task ${name} is not in deno.json`);
  for (const { language, text } of all) {
    if (language !== "sh") continue;
    for (const [, command] of text.matchAll(/cli (\w+)/g)) {
      await using help = new Cli([command!, "--help"]);
      await succeeds(help);
    }
  }
});

/** Waits for the end of a child that must go well. */
async function succeeds(child: Child): Promise<ChildResult> {
  const result = await child.finish();
  assertEquals(result.code, 0, `${result.stdout}\n${result.stderr}`);
  return result;
}
