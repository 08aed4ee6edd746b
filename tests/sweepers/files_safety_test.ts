import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import sweepFiles from "../../src/sweepers/files.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDir } from "../support/temp_dir.ts";

const ALL = { olderThan: 0, removeEmptyDirs: true, emptyDirAge: 0 };

Deno.test("sweepFiles() neither follows nor removes symbolic links", async () => {
  using dir = new TempDir();
  using outside = new TempDir();
  outside.file("precious/file", { age: 1000 });
  dir.file("old", { age: 1000 });
  Deno.symlinkSync(outside.at("precious"), dir.at("to-folder"));
  Deno.symlinkSync(outside.at("precious/file"), dir.at("to-file"));
  Deno.symlinkSync("nowhere", dir.at("broken"));
  Deno.symlinkSync(".", dir.at("loop"));
  const result = await sweepFiles({ dir: dir.path, ...ALL }, createTestContext());
  assertEquals(dir.tree(), ["broken", "loop", "to-file", "to-folder"]);
  assertEquals(outside.tree(), ["precious/", "precious/file"]);
  assertEquals([result.removed, result.skippedLinks, result.failed], [1, 4, 0]);
});

Deno.test("sweepFiles() does not follow a folder that becomes a link, whenever that happens", async () => {
  // Whatever the moment of the swap, nothing outside may be lost.
  for (let moment = 1; moment <= 14; moment++) {
    using dir = new TempDir();
    using outside = new TempDir();
    for (const name of ["1", "2", "3"]) {
      dir.file(`a/b/${name}`, { age: 1000 });
      outside.file(`b/${name}`, { age: 1000 });
    }
    const ctx = createTestContext({
      onCheckpoint: (count) => {
        if (count !== moment) return;
        try {
          Deno.renameSync(dir.at("a"), dir.at("moved"));
        } catch {
          return; // Swept already.
        }
        Deno.symlinkSync(outside.path, dir.at("a"));
      },
    });
    await sweepFiles({ dir: dir.path, ...ALL }, ctx);
    assertEquals(outside.tree(), ["b/", "b/1", "b/2", "b/3"], `swapped at ${moment}`);
  }
});

Deno.test("sweepFiles() reports a folder that was swapped once, and sweeps the rest", async () => {
  using dir = new TempDir();
  using outside = new TempDir();
  for (let index = 0; index < 10; index++) {
    dir.file(`a/${index}`, { age: 1000 });
    outside.file(`${index}`, { age: 1000 });
  }
  dir.file("last", { age: 1000 });
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count !== 4) return;
      Deno.renameSync(dir.at("a"), outside.at("moved"));
      Deno.symlinkSync(outside.path, dir.at("a"));
    },
  });
  const result = await sweepFiles({ dir: dir.path, olderThan: 0, slice: Infinity }, ctx);
  assertEquals(dir.tree(), ["a"]);
  assertEquals(outside.tree().filter((path) => /^\d$/.test(path)).length, 10);
  assertEquals(result.failures.map(({ path }) => path), ["a"]);
  assertStringIncludes(result.failures[0]!.error, "took the place of this folder");
});

Deno.test("sweepFiles() does not follow the link of its root to another place", async () => {
  using dir = new TempDir();
  Deno.mkdirSync(dir.at("one"));
  Deno.mkdirSync(dir.at("two"));
  for (const name of ["1", "2", "3"]) {
    dir.file(`one/${name}`, { age: 1000 });
    dir.file(`two/${name}`, { age: 1000 });
  }
  Deno.symlinkSync(dir.at("one"), dir.at("current"));
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count !== 2) return;
      Deno.removeSync(dir.at("current"));
      Deno.symlinkSync(dir.at("two"), dir.at("current"));
    },
  });
  const result = await sweepFiles({ dir: dir.at("current"), olderThan: 0, slice: Infinity }, ctx);
  assertEquals(dir.tree("two/"), ["two/1", "two/2", "two/3"]);
  assertEquals(dir.tree("one/").length, 2);
  assertEquals(result.failures[0]?.path, ".");
});

Deno.test("sweepFiles() sweeps through a link that is its root", async () => {
  using dir = new TempDir();
  dir.file("real/a/old", { age: 1000 });
  Deno.symlinkSync(dir.at("real"), dir.at("link"));
  const result = await sweepFiles({ dir: dir.at("link"), ...ALL }, createTestContext());
  assertEquals(dir.tree(), ["link", "real/"]);
  assertEquals(result.dir, Deno.realPathSync(dir.at("real")));
});

Deno.test("sweepFiles() takes paths, file URLs, and paths with odd names", async () => {
  using dir = new TempDir();
  dir.file("ö d%20#?/x", { age: 1000 });
  const url = pathToFileURL(dir.at("ö d%20#?")).href;
  const result = await sweepFiles({ dir: url, olderThan: 0 }, createTestContext());
  assertEquals([result.removed, result.dir], [1, Deno.realPathSync(dir.at("ö d%20#?"))]);
});

Deno.test("sweepFiles() leaves pipes alone", { ignore: Deno.build.os === "windows" }, async () => {
  using dir = new TempDir();
  const { success } = new Deno.Command("mkfifo", { args: [dir.at("pipe")] }).outputSync();
  assert(success);
  const result = await sweepFiles({ dir: dir.path, olderThan: 0 }, createTestContext());
  assertEquals([dir.tree(), result.skippedSpecial], [["pipe"], 1]);
});

Deno.test("sweepFiles() refuses the root, home directories and folders of the system", async () => {
  using dir = new TempDir();
  Deno.symlinkSync("/", dir.at("to-root"));
  const home = Deno.env.get("HOME")!;
  for (const path of ["/", "/etc", "/usr/", "/home", "/home/somebody/../..", home, dirname(home)]) {
    await assertRejects(
      () => sweepFiles({ dir: path, olderThan: 0, dryRun: true }, createTestContext()),
      RangeError,
      "name a folder made for what is to be swept",
      path,
    );
  }
  await assertRejects(
    () => sweepFiles({ dir: dir.at("to-root"), olderThan: 0, dryRun: true }, createTestContext()),
    RangeError,
    "received /",
  );
});

Deno.test("sweepFiles() tells what is wrong with its root", async () => {
  using dir = new TempDir();
  await assertRejects(
    () => sweepFiles({ dir: dir.at("missing"), olderThan: 0 }, createTestContext()),
    Deno.errors.NotFound,
    `Cannot sweep ${dir.at("missing")}: there is no such folder`,
  );
  await assertRejects(
    () => sweepFiles({ dir: dir.file("file"), olderThan: 0 }, createTestContext()),
    Deno.errors.NotADirectory,
    "it is no folder",
  );
  await assertRejects(
    () => sweepFiles({ dir: "", olderThan: 0 }, createTestContext()),
    TypeError,
    "dir must be a string that is not empty",
  );
});

Deno.test("sweepFiles() refuses the home directory that the environment names, and those above", async () => {
  using dir = new TempDir();
  dir.file("lib/app/cache/old", { age: 1000 });
  const module = import.meta.resolve("../../src/sweepers/files.ts");
  const source = `
    const { default: sweep } = await import(${JSON.stringify(module)});
    for (const dir of Deno.args) {
      try {
        await sweep({ dir, olderThan: 0 }, { checkpoint() {}, progress() {}, log: { info() {} } });
        console.log("swept");
      } catch (error) {
        console.log(error.name);
      }
    }`;
  const home = dir.at("lib/app");
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-config", "--no-lock", source, home, dir.at("lib"), `${home}/cache`],
    env: { HOME: home, DENO_DIR: dir.at("deno"), NO_COLOR: "1" },
  }).output();
  const said = new TextDecoder().decode(stdout).trim().split("\n");
  assertEquals(said, ["RangeError", "RangeError", "swept"], new TextDecoder().decode(stderr));
  assertEquals(dir.tree("lib/"), ["lib/app/", "lib/app/cache/"]);
});

Deno.test("sweepFiles() leaves a link alone that took the place of a file", async () => {
  using dir = new TempDir();
  dir.file("x", { age: 1000 });
  const ctx = createTestContext({
    onCheckpoint: () => {
      if (!Deno.lstatSync(dir.at("x")).isFile) return;
      Deno.removeSync(dir.at("x"));
      Deno.symlinkSync("nowhere", dir.at("x"));
    },
  });
  const result = await sweepFiles({ dir: dir.path, olderThan: 0 }, ctx);
  assertEquals([dir.tree(), result.skippedLinks, result.matched], [["x"], 1, 0]);
});
