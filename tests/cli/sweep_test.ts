import { assert, assertEquals, assertMatch } from "@std/assert";
import { bucketPath } from "../../src/sweepers/files.ts";
import { Cli, runCli } from "../support/cli.ts";
import { TempDir } from "../support/temp_dir.ts";

const DAY = 86_400_000;

/** A folder with two old files of 10 bytes and a new one of 1 byte. */
function folder(): TempDir {
  const dir = new TempDir();
  dir.file("a/old.tmp", { age: 10 * DAY, size: 10 });
  dir.file("a/old.txt", { age: 9 * DAY, size: 10 });
  dir.file("new.tmp");
  return dir;
}

Deno.test("leash sweep removes what is too old, and tells what it did", async () => {
  using dir = folder();
  const { code, stdout, stderr } = await runCli(["sweep", dir.path, "--older-than", "7d"]);
  assertEquals([code, stderr], [0, ""]);
  assertEquals(dir.tree(), ["a/", "new.tmp"]);
  assertMatch(stdout, /^Swept .* in [\d.]+m?s$/m);
  assertMatch(stdout, /^ {2}scanned {2}3 files$/m);
  assertMatch(stdout, /^ {2}removed {2}2 files \(20 B\)$/m);
  assertMatch(stdout, /^ {2}kept {5}1 file \(1 B\)$/m);
});

Deno.test("leash sweep --buckets removes the folders whose end has come", async () => {
  using dir = folder();
  const [old, live] = [-2 * DAY, DAY].map((age) =>
    bucketPath(Date.now() + age, { width: { hours: 1 } })
  );
  dir.file(`${old}/1`);
  dir.file(`${old}/2`);
  dir.file(`${live}/1`);
  const args = ["sweep", dir.path, "--buckets"];
  const dry = await runCli([...args, "--dry-run"]);
  assertMatch(dry.stdout, /^ {2}would remove {2}2 files\n[^]*^ {2}would remove {2}1 bucket$/m);
  const { code, stdout, stderr } = await runCli(args);
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /^ {2}removed {5}2 files$/m);
  assertMatch(stdout, /^ {2}removed {5}1 bucket\n {2}kept {8}1 bucket$/m);
  assertMatch(stdout, /^ {2}left alone {2}2 that are no buckets$/m);
  assertEquals(dir.tree().includes(`${old}/`), false);
  assertEquals(dir.tree().length, 6);
});

Deno.test("leash sweep --dry-run removes nothing, and names what would go", async () => {
  using dir = folder();
  const args = ["sweep", ".", "--max-size", "15B", "--include", "*.tmp", "--dry-run"];
  const none = await runCli([...args, "--exclude", "a"], { cwd: dir.path });
  assertMatch(none.stdout, /would remove {2}0 files/);
  const { code, stdout } = await runCli(args.with(3, "5"), { cwd: dir.path });
  assertEquals(code, 0);
  assertMatch(stdout, /would remove {2}1 file \(10 B\)\n[^]*\n {4}a\/old\.tmp\n/);
  assertEquals(dir.tree(), ["a/", "a/old.tmp", "a/old.txt", "new.tmp"]);
});

Deno.test("leash sweep --json prints the result of the run as one object", async () => {
  using dir = folder();
  const { code, stdout } = await runCli(["sweep", dir.path, "--max-files", "1", "--json"]);
  assertEquals(code, 0);
  const { task, outcome, value } = JSON.parse(stdout);
  assertEquals([task, outcome, value.removed, value.kept], ["sweep", "succeeded", 2, 1]);
});

Deno.test("leash sweep exits with 1 when the sweep fails", async () => {
  using dir = new TempDir();
  const missing = dir.at("missing");
  const { code, stdout, stderr } = await runCli(["sweep", missing, "--older-than", "1d"]);
  assertEquals([code, stdout], [1, ""]);
  assertEquals(stderr, `leash: failed: Cannot sweep ${missing}: there is no such folder\n`);

  const json = await runCli(["sweep", missing, "--older-than", "1d", "--json"]);
  assertEquals(json.code, 1);
  const { outcome, error } = JSON.parse(json.stdout);
  assertEquals([outcome, error.name], ["failed", "NotFound"]);
});

Deno.test("leash sweep exits with 1 when something could not be removed, and names it", async () => {
  using dir = folder();
  const { code, stdout } = await runCli(["sweep", dir.path, "--older-than", "7d"], {
    permissions: ["--allow-read", `--allow-write=${dir.at("elsewhere")}`],
  });
  assertEquals(code, 1);
  assertMatch(stdout, /^ {2}failed {3}2 files or folders$/m);
  assertMatch(stdout, /^ {4}a\/old\.tmp: NotCapable: /m);
  assertEquals(dir.tree(), ["a/", "a/old.tmp", "a/old.txt", "new.tmp"]);
});

Deno.test("leash sweep --sandbox gives the worker its folder and nothing else", async () => {
  using dir = folder();
  // It works because the configuration beside the code enables it.
  const { code, stderr } = await runCli(["sweep", dir.path, "--older-than", "7d", "--sandbox"]);
  assertEquals([code, stderr], [0, ""]);
  assertEquals(dir.tree(), ["a/", "new.tmp"]);
});

Deno.test("leash sweep --every sweeps at once and again until it is told to stop", async () => {
  using dir = folder();
  await using cli = new Cli(["sweep", dir.path, "--older-than", "7d", "--every", "200ms"]);
  await cli.until(/removed 2 of 3 files \(20 B\)/);
  dir.file("late.tmp", { age: 8 * DAY, size: 5 });
  await cli.until(/removed 1 of 2 files \(5 B\)/);
  cli.kill("SIGINT");
  const { code, stdout, stderr } = await cli.finish();
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /stopped; workers alive: 0\n$/);
});

Deno.test("leash sweep --cron sweeps at once, whenever its times are", async () => {
  using dir = folder();
  const args = ["sweep", dir.path, "--older-than", "7d", "--json"];
  await using cli = new Cli([...args, "--cron", "0 0 1 1 *", "--time-zone", "Europe/Berlin"]);
  await cli.until(/"removed":2/);
  cli.kill("SIGTERM");
  const { code, stdout } = await cli.finish();
  assertEquals([code, stdout.trimEnd().split("\n").length], [0, 1]);
});

Deno.test("leash sweep stops when nobody reads its output any more", async () => {
  using dir = folder();
  await using cli = new Cli(["sweep", dir.path, "--older-than", "7d", "--every", "50ms"]);
  await cli.until(/succeeded/);
  await cli.hangUp();
  const { code, stderr } = await cli.finish();
  assertEquals([code, stderr], [0, ""]);
  assert(dir.tree().length === 2);
});
