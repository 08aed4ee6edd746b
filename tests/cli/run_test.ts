import { assert, assertEquals, assertMatch } from "@std/assert";
import { Cli, cliCommand, fixture, runCli } from "../support/cli.ts";

Deno.test("leash run prints a line for each run, and ends when nothing is due any more", async () => {
  const { code, stdout, stderr } = await runCli(["run", fixture("once.ts")]);
  assertEquals([code, stderr], [0, ""]);
  const lines = stdout.trimEnd().split("\n").map((line) => line.replace(/^\S+Z /, ""));
  assertEquals(lines.at(-1), "stopped 2 tasks; workers alive: 0");
  assert(lines.includes("· answers info: thinking { hard: true }"), stdout);
  assertMatch(stdout, /^\S+Z ✓ answers succeeded in [\d.]+m?s: answer 42$/m);
  assertMatch(stdout, /^\S+Z ✗ throws failed after [\d.]+m?s: RangeError: out of luck$/m);
});

Deno.test("leash run --json prints every event as an object", async () => {
  const { code, stdout } = await runCli(["run", fixture("once.ts"), "--json"]);
  assertEquals(code, 0);
  const events = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const types = new Set(events.map(({ type }) => type));
  for (
    const type of ["task-added", "worker-spawned", "run-started", "run-log", "run-ended"]
  ) assert(types.has(type), type);
  assert(!types.has("run-progress"));
  assertEquals(events.at(-1).type, "scheduler-stopped");
  const results = events.filter(({ type }) => type === "run-ended").map(({ result }) => result);
  const failed = results.find(({ task }) => task === "throws");
  assertEquals([failed.error.name, failed.error.code], ["RangeError", "E_LUCK"]);
  assertMatch(failed.error.stack, /^RangeError: out of luck\n/);
  assertEquals(results.find(({ task }) => task === "answers").value, { answer: 42 });
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`leash run says what it waits for on ${signal}, and exits with 0`, async () => {
    await using cli = new Cli(["run", fixture("waits.ts")]);
    await cli.until(/has begun/);
    cli.kill(signal);
    const { code, stdout, stderr } = await cli.finish();
    assertEquals([code, stderr], [0, ""]);
    const waiting = `Z Received ${signal}: again to exit at once. Waiting up to 10s for waits\n`;
    assert(stdout.includes(waiting), stdout);
    assertMatch(stdout, /■ waits aborted after .*\n.*stopped 1 task; workers alive: 0\n$/);
  });
}

Deno.test("leash run stops when nobody reads its output, from the first line on", async () => {
  await using cli = new Cli(["run", fixture("mixed.ts"), "--json"]);
  await cli.hangUp();
  const { code, stderr } = await cli.finish();
  assertEquals([code, stderr], [0, ""]);
});

Deno.test("leash run exits at once on a second signal", async () => {
  await using cli = new Cli(["run", fixture("waits_long.ts")]);
  await cli.until(/has begun/);
  cli.kill("SIGINT");
  await cli.until(/Waiting up to/);
  cli.kill("SIGINT");
  const { code, stderr } = await cli.finish();
  assertEquals(code, 130);
  assert(stderr.includes("received SIGINT again"), stderr);
});

Deno.test("leash run exits with 1 when a worker had to be left behind, and names it", async () => {
  await using cli = new Cli(["run", fixture("loops.ts"), "--grace", "100ms"]);
  await cli.until(/has begun/);
  cli.kill("SIGINT");
  const { code, stdout } = await cli.finish();
  assertEquals(code, 1);
  assertMatch(stdout, /workers alive: 1 \(loops#1 is stuck: terminated, alive [\d.]+s later\)\n$/);
});

Deno.test("leash run exits with 1 when a task was given up and nothing is left to do", async () => {
  const { code, stdout } = await runCli(["run", fixture("gives_up.ts")]);
  assertEquals(code, 1);
  assertMatch(stdout, /gives-up is given up after 0 restarts: Error: no/);
  assertMatch(stdout, /stopped 1 task, given up: gives-up; workers alive: 0\n$/);
});

const script = await new Deno.Command("script", { args: ["--version"], stdout: "piped" })
  .output().then(({ stdout }) => new TextDecoder().decode(stdout).includes("util-linux"))
  .catch(() => false);

Deno.test({
  name: "leash run draws a table on a terminal, and leaves the cursor visible",
  // The program that makes a terminal for its child; those of other systems take other options.
  ignore: !script,
  async fn() {
    const command = cliCommand(["run", fixture("once.ts")]).map((arg) => `'${arg}'`).join(" ");
    const { code, stdout } = await new Deno.Command("script", {
      args: ["-qec", command, "/dev/null"],
      env: { NO_COLOR: "1", TERM: "xterm" },
      stdin: "null",
      stdout: "piped",
    }).output();
    const text = new TextDecoder().decode(stdout);
    assertEquals(code, 0, text);
    assert(text.includes("\x1b[?25l"), text);
    assert(text.lastIndexOf("\x1b[?25h") > text.lastIndexOf("\x1b[?25l"), text);
    assertMatch(text, / leash run once\.ts · \d+s · workers alive 0 · longest stall /);
    assertMatch(text, / throws +■ stopped +✗ failed /);
    // deno-lint-ignore no-control-regex -- the colours that must not be there
    assert(!/\x1b\[[\d;]*m/.test(text), text);
  },
});
