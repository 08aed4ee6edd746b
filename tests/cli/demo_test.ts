import { assert, assertEquals, assertMatch } from "@std/assert";
import { Cli, runCli } from "../support/cli.ts";
import { TempDir } from "../support/temp_dir.ts";

const SMALL = ["demo", "--files", "2000", "--rows", "5000"];

/** The demo makes its folder where the system tells it to. */
function inside(dir: TempDir): { env: Record<string, string> } {
  return { env: { TMPDIR: dir.path, TMP: dir.path, TEMP: dir.path } };
}

Deno.test("leash demo sweeps files and rows, ends the task that never yields, and leaves nothing", async () => {
  using dir = new TempDir();
  // How much it gets done in some seconds is the machine's business: it goes on until all is there.
  await using cli = new Cli([...SMALL, "--seconds", "600"], inside(dir));
  for (
    const line of [
      /sweep-files succeeded in .* files of [\d,]+ removed/,
      /sweep-sessions succeeded in .* rows removed/,
      /flaky succeeded/,
      /loops-for-ever timed-out/,
    ]
  ) await cli.until(line);
  cli.kill("SIGINT");
  const { code, stdout, stderr } = await cli.finish();
  assertEquals([code, stderr], [0, ""], stdout);
  assertEquals(dir.tree(), []);
  assertMatch(stdout, /^leash demo: making 2,000 files and 5,000 rows in /);
  assertMatch(stdout, /^ {2}sweep-files {5}\d+ succeeded.* [\d,]{3,} files removed$/m);
  assertMatch(stdout, /^ {2}sweep-sessions {2}\d+ succeeded.* [\d,]{3,} rows removed$/m);
  assertMatch(stdout, /^ {2}flaky {11}\d+ succeeded/m);
  assertMatch(stdout, /^ {2}loops-for-ever {2}1 timed-out$/m);
  assertMatch(stdout, /^longest stall of the main thread: [\d.]+m?s$/m);
  assertMatch(stdout, /^workers alive: 0$/m);
});

Deno.test("leash demo ends by itself after the time that it was given", async () => {
  using dir = new TempDir();
  const { code, stdout, stderr } = await runCli(
    [...SMALL, "--seconds", "1", "--no-loop"],
    inside(dir),
  );
  assertEquals([code, stderr], [0, ""], stdout);
  assertEquals(dir.tree(), []);
  assertMatch(stdout, /^workers alive: 0$/m);
});

Deno.test("leash demo --sandbox ends with no worker alive, the loop in a process", async () => {
  using dir = new TempDir();
  await using cli = new Cli([...SMALL, "--seconds", "600", "--sandbox"], inside(dir));
  await cli.until(/loops-for-ever timed-out/);
  cli.kill("SIGINT");
  const { code, stdout } = await cli.finish();
  assertEquals(code, 0, stdout);
  assertEquals(dir.tree(), []);
  assert(!stdout.includes("NotCapable"), stdout);
  assertMatch(stdout, /^workers alive: 0$/m);
});

for (const signal of ["SIGINT", "SIGHUP"] as const) {
  Deno.test(`leash demo can be ended early by ${signal}, and leaves nothing`, async () => {
    using dir = new TempDir();
    await using cli = new Cli([...SMALL, "--no-loop"], inside(dir));
    await cli.until(/sweep-files succeeded/);
    cli.kill(signal);
    const { code, stdout } = await cli.finish();
    assertEquals(code, 0, stdout);
    assertEquals(dir.tree(), []);
    assertMatch(stdout, /^workers alive: 0$/m);
  });
}

Deno.test("leash demo leaves nothing when it is told twice to end", async () => {
  using dir = new TempDir();
  await using cli = new Cli([...SMALL, "--files", "1000000"], inside(dir));
  await cli.until(/^leash demo: making/);
  cli.kill("SIGINT");
  cli.kill("SIGTERM");
  await cli.finish();
  assertEquals(dir.tree(), []);
});

Deno.test("leash demo says why it cannot be shown", async () => {
  using dir = new TempDir();
  const { code, stderr } = await runCli([...SMALL, "--no-loop"], {
    ...inside(dir),
    permissions: [`--allow-write=${dir.path}`, "--allow-env", "--allow-sys"],
  });
  assertEquals(code, 1);
  const message = /^leash: Cannot show the demo: write-\w+ failed: .*requires read access/im;
  assertMatch(stderr, message);
  assertEquals(dir.tree(), []);
});
