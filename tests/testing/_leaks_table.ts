import { runTestFiles, type Verdicts } from "../support/run_test_files.ts";
import { TempDir } from "../support/temp_dir.ts";
import { LEAKS } from "./_leaks.ts";

/** The table that the README shows. */
export const TABLE = new URL("leaks_table.md", import.meta.url);

/** Lets each leak happen in a test file of its own, under the sanitizers alone and under a guard. */
export async function readLeaks(): Promise<{ sanitizers: Verdicts; guard: Verdicts }> {
  return { sanitizers: await runTests("0"), guard: await runTests("1") };
}

/** What the runs said, as a table in Markdown. */
export function leaksTable(
  { sanitizers, guard }: { sanitizers: Verdicts; guard: Verdicts },
): string {
  const rows = Object.keys(LEAKS).map((name) => {
    const state = /^ *1\. .*\((.*)\)$/m.exec(guard.get(name) ?? "")?.[1];
    return [
      name,
      sanitizers.get(name) === undefined ? "no" : "yes",
      state === undefined ? "no" : `yes: ${state}`,
    ];
  });
  const table = [["left behind", "seen by the sanitizers", "seen by `leakGuard()`"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`
  );
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.join("\n") + "\n";
}

async function runTests(guard: "0" | "1"): Promise<Verdicts> {
  using dir = new TempDir();
  const module = JSON.stringify(new URL("_leaks.ts", import.meta.url).href);
  for (const [index, name] of Object.keys(LEAKS).entries()) {
    // In this order: what spins comes last, and takes no time from the others.
    await Deno.writeTextFile(
      dir.at(`${String(index).padStart(2, "0")}_test.ts`),
      `import { testLeak } from ${module};\ntestLeak(${JSON.stringify(name)});\n`,
    );
  }
  return await runTestFiles(dir, { LEASH_TEST_GUARD: guard });
}
