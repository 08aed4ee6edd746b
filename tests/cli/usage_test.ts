import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { main } from "../../src/cli/main.ts";
import { onePositional, parseOptions, UsageError } from "../../src/cli/_usage.ts";
import { VERSION } from "../../src/cli/_version.ts";
import { runCli } from "../support/cli.ts";

const TABLE = {
  every: { type: "string", value: "DURATION", help: "" },
  include: { type: "string", multiple: true, short: "i", help: "" },
  json: { type: "boolean", help: "" },
} as const;

Deno.test("parseOptions() reads options and what is none", () => {
  const { values, positionals } = parseOptions(
    ["a", "--every", "5m", "-i", "x", "--include=y", "--json", "--", "-b"],
    TABLE,
  );
  assertEquals({ ...values }, { every: "5m", include: ["x", "y"], json: true });
  assertEquals(positionals, ["a", "-b"]);
});

Deno.test("parseOptions() says what was expected and what was received", () => {
  const cases: [args: string[], message: string][] = [
    [["--evry"], "options: expected only --every, --include, --json: received --evry"],
    [["-x"], "options: expected only --every, --include, --json: received -x"],
    [
      ["--every"],
      "--every: expected a value, as in --every DURATION or, when it begins with a dash",
    ],
    [["--every", "--json"], "--every: expected a value"],
    [["-i"], "--include: expected a value"],
    [["--json=yes"], "--json: expected no value: received one"],
    [["--no-json"], "received --no-json"],
  ];
  for (const [args, message] of cases) {
    assertThrows(() => parseOptions(args, TABLE), UsageError, message);
  }
});

Deno.test("onePositional() takes one argument, neither more nor less", () => {
  assertEquals(onePositional(["x"], "DIR"), "x");
  assertThrows(() => onePositional([], "DIR"), UsageError, "expected DIR: received none");
  assertThrows(() => onePositional([""], "DIR"), UsageError, 'expected only DIR: received ""');
  assertThrows(() => onePositional(["a", "b"], "DIR"), UsageError, "only DIR: received a b");
});

Deno.test("the version is the one in deno.json", async () => {
  const { default: { version } } = await import("../../deno.json", { with: { type: "json" } });
  assertEquals(VERSION, version);
});

Deno.test("importing the front door does nothing, main() returns the exit code", async () => {
  const { stdout } = await runCli(["--version"]);
  assertEquals(stdout, `leash ${VERSION}\n`);
  assert(typeof main === "function");
});

Deno.test("--help tells of all commands, and of each one", async () => {
  const overall = await runCli(["--help"]);
  assertEquals(overall.code, 0);
  const commands = ["sweep", "run", "list", "demo"];
  for (const command of commands) {
    assertMatch(overall.stdout, new RegExp(`^  ${command} `, "m"));
    const { code, stdout, stderr } = await runCli([command, "--help"]);
    assertEquals([code, stderr], [0, ""]);
    assert(stdout.includes(`Usage: leash ${command} `), stdout);
    for (const line of stdout.split("\n")) assert(line.length <= 100, line);
  }
});

Deno.test("usage errors: one message, how to see the help, exit code 2", async () => {
  const cases: [args: string[], message: string, help: string][] = [
    [[], "command: expected sweep, run, list, demo: received none", "leash --help"],
    [["swep"], "command: expected sweep, run, list, demo: received swep", "leash --help"],
    [["--json"], "options: expected only --help, --version: received --json", "leash --help"],
    [
      ["sweep"],
      "arguments: expected DIR, the folder to sweep: received none",
      "leash sweep --help",
    ],
    [["sweep", "a", "b"], "received a b", "leash sweep --help"],
    [["sweep", "a"], "at least one of --older-than, --max-size", "leash sweep --help"],
    [["sweep", "a", "--older-than", "7"], "a duration such as", "leash sweep --help"],
    [["sweep", "a", "--max-size", "big"], "a size such as", "leash sweep --help"],
    [["sweep", "a", "--max-files", "-1"], "--max-files: expected a value", "leash sweep --help"],
    [["sweep", "a", "--age-from", "x"], "mtime, atime or name", "leash sweep --help"],
    [
      ["sweep", "a", "--age-from", "name", "--older-than", "1d"],
      "--older-than has no meaning",
      "leash sweep --help",
    ],
    [
      ["sweep", "a", "--buckets", "--exclude", "x"],
      "--exclude has no meaning with --buckets",
      "leash sweep --help",
    ],
    [
      ["sweep", "a", "--max-files", "1", "--every", "1h", "--cron", "* * * * *"],
      "one of --every and --cron: received both",
      "leash sweep --help",
    ],
    [
      ["sweep", "a", "--max-files", "1", "--cron", "every hour"],
      "--cron: Cannot read the cron expression",
      "leash sweep --help",
    ],
    [
      ["sweep", "a", "--max-files", "1", "--time-zone", "Europe/Berlin"],
      "--time-zone: expected --cron beside it",
      "leash sweep --help",
    ],
    [["run"], "expected MODULE", "leash run --help"],
    [["run", "x.ts", "--json", "--plain"], "received both", "leash run --help"],
    [["list", "x.ts", "-n", "0"], "--count: expected a whole number of at least 1", "leash list"],
    [["demo", "now"], "arguments: expected none: received now", "leash demo --help"],
    [["demo", "--seconds", "1.5"], "--seconds: expected a whole number", "leash demo --help"],
  ];
  const results = await Promise.all(cases.map(([args]) => runCli(args)));
  for (const [index, { code, stdout, stderr }] of results.entries()) {
    const [args, message, help] = cases[index]!;
    const what = `leash ${args.join(" ")}: ${stderr}`;
    assertEquals([code, stdout], [2, ""], what);
    assert(stderr.includes(message), what);
    assert(stderr.includes(`See ${help}`), what);
    assertEquals(stderr.trimEnd().split("\n").length, 2, what);
  }
});
