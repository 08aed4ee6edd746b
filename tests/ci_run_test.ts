import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ROOT } from "./support/entries.ts";

/** Everything but the tests: the five other steps of the gate, the demo, and each bench. */
const OTHER_STEPS = 6 + countBenches();

function countBenches(): number {
  try {
    const names = Array.from(Deno.readDirSync(new URL("bench", ROOT)), ({ name }) => name);
    return names.filter((name) => name.endsWith("_bench.ts")).length;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

Deno.test({
  name: ".ci/run adds up what its steps report",
  // It is a script for bash.
  ignore: Deno.build.os === "windows",
  async fn(t) {
    await t.step("all is well", async () => {
      const run = await ciRun('*"task test") echo "ok | 12 passed (3 steps) | 0 failed (2s)" ;;');
      assertEquals(run, {
        code: 0,
        last: `${12 + OTHER_STEPS} passed, 0 failed`,
        output: run.output,
      });
    });
    await t.step("tests fail, in colour, after the summary of another runner", async () => {
      const run = await ciRun(`*"task test")
        echo "ok | 99 passed | 0 failed"
        printf '\\n\\033[31mFAILED\\033[0m | 7 passed (1 step) | 2 failed (1 step) | 1 ignored\\n'
        exit 1 ;;`);
      assertEquals([run.code, run.last], [1, `${7 + OTHER_STEPS} passed, 2 failed`]);
    });
    await t.step("the runner prints no summary, even with exit code 0", async () => {
      const run = await ciRun('*"task test") echo "all fine" ;;');
      assertEquals([run.code, run.last], [1, `${OTHER_STEPS} passed, 1 failed`]);
      assertMatch(run.output, /printed no summary/);
    });
    await t.step("the runner crashes after a good summary", async () => {
      const run = await ciRun('*"task test") echo "ok | 3 passed | 0 failed"; exit 70 ;;');
      assertEquals([run.code, run.last], [1, `${3 + OTHER_STEPS} passed, 1 failed`]);
    });
    await t.step("another step fails", async () => {
      const run = await ciRun(`*"task test") echo "ok | 3 passed | 0 failed" ;;
        *"task lint") echo "lint says no"; exit 1 ;;
        *"task demo") exit 1 ;;`);
      assertEquals([run.code, run.last], [1, `${3 + OTHER_STEPS - 2} passed, 2 failed`]);
      assertStringIncludes(run.output, "lint says no");
      assertStringIncludes(run.output, "Failed:\n  lint\n  demo\n");
    });
  },
});

Deno.test(".ci/run has every step of the gate", async () => {
  const config = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const script = await Deno.readTextFile(new URL(".ci/run", ROOT));
  const steps: string[] = config.tasks.ok.command.split(" && ")
    .map((step: string) => step.replace("deno task ", ""));
  assertEquals(steps.filter((step) => !new RegExp(`\\b${step}\\b`).test(script)), []);
});

/** Runs the script with an npx that only plays a part: what it prints is up to the test. */
async function ciRun(cases: string): Promise<{ code: number; last: string; output: string }> {
  const directory = await Deno.makeTempDir();
  try {
    const npx = `#!/usr/bin/env bash\ncase "$*" in\n${cases}\nesac\n`;
    await Deno.writeTextFile(`${directory}/npx`, npx, { mode: 0o755 });
    const { code, stdout } = await new Deno.Command("bash", {
      args: [".ci/run"],
      cwd: ROOT,
      env: { PATH: `${directory}:${Deno.env.get("PATH")}` },
    }).output();
    const output = new TextDecoder().decode(stdout);
    return { code, output, last: output.trimEnd().split("\n").at(-1)! };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
