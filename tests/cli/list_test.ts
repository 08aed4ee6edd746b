import { assert, assertEquals, assertMatch } from "@std/assert";
import { pathToFileURL } from "node:url";
import { fixture, runCli } from "../support/cli.ts";
import { TempDir } from "../support/temp_dir.ts";

Deno.test("leash list shows when each task is due", async () => {
  const { code, stdout, stderr } = await runCli(["list", fixture("mixed.ts")], {
    env: { TZ: "Asia/Tokyo" },
  });
  assertEquals([code, stderr], [0, ""]);
  const [nightly, once, named, ...others] = stdout.trimEnd().split("\n\n").sort((a, b) =>
    ["nightly", "once", "named"].indexOf(a.split(" ")[0]!) -
    ["nightly", "once", "named"].indexOf(b.split(" ")[0]!)
  );
  // The module exports one of its tasks twice.
  assertEquals(others, []);
  assertMatch(nightly!, /^nightly {2}cron 30 2 \* \* \* Europe\/Berlin \(begins paused\)\n/);
  assertEquals(nightly!.split("\n").length, 7);
  for (const line of nightly!.split("\n").slice(2)) {
    assertMatch(
      line,
      /^ {2}[\d-]{10} (09|10):30:00 Asia\/Tokyo {2}[\d-]{10}T0[01]:30:00Z {2}in \d.*$/,
    );
  }
  assertMatch(named!, /^named {2}every 1h \(each wait is longer by up to 10%\)\n/);
  assertMatch(named!, /Z {2}in 1h\n[^]*Z {2}in 5h$/);
  assertMatch(once!, /^once {2}once after 1m\n.*\n.*Z {2}in 1m$/);
});

Deno.test("leash list --json prints one object for each task", async () => {
  const file = pathToFileURL(fixture("mixed.ts")).href;
  const { code, stdout } = await runCli(["list", file, "--json", "-n", "3"]);
  assertEquals(code, 0);
  const tasks = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(tasks.map(({ task, due, paused }) => [task, due.length, paused]).sort(), [
    ["named", 3, false],
    ["nightly", 3, true],
    ["once", 1, false],
  ]);
  const { schedule } = tasks.find(({ task }) => task === "nightly");
  assertEquals(schedule, {
    kind: "cron",
    description: "cron 30 2 * * * Europe/Berlin",
    base: "wall",
    sliding: false,
  });
});

Deno.test("a module that cannot be used gives one clear message and exit code 2", async () => {
  using dir = new TempDir();
  Deno.writeTextFileSync(dir.at("syntax.ts"), "export default [;\n");
  const cases: [file: string, message: RegExp][] = [
    [dir.at("missing.ts"), /Cannot load the tasks of .*missing\.ts: Module not found/],
    [dir.at("syntax.ts"), /Cannot load the tasks of .*syntax\.ts: .*Expression expected/],
    [fixture("throws.ts"), /throws\.ts: RangeError: cannot be loaded \(at .*throws\.ts:1:7\)/],
    [
      fixture("nothing.ts"),
      /Cannot find a task in .*: expected tasks, as in .*: received only answer, default/,
    ],
    [fixture("bad_item.ts"), /received \{ module: .* as item 0 of its export default/],
    [fixture("bad_option.ts"), /Cannot add task "bad": expected only the options .* timeOut/],
  ];
  const runs = cases.flatMap(([file, message]) =>
    ["list", "run"].map(async (command) => {
      const { code, stdout, stderr } = await runCli([command, file]);
      assertEquals([code, stdout], [2, ""], stderr);
      assertMatch(stderr, message);
      assert(stderr.endsWith(`See leash ${command} --help\n`), stderr);
      assert(!stderr.includes("\x1b"), stderr);
    })
  );
  await Promise.all(runs);
});
