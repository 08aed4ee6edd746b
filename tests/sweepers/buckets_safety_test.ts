import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import sweepFiles, { bucketPath, type FilesSweepInput } from "../../src/sweepers/files.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDir } from "../support/temp_dir.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 31, 12);
const OLD = bucketPath(NOW - 1, { width: HOUR });
const OLDER = bucketPath(NOW - HOUR - 1, { width: HOUR });
const OLDEST = bucketPath(NOW - 2 * HOUR - 1, { width: HOUR });

function sweep(
  dir: string,
  options: Partial<FilesSweepInput> = {},
  ctx = createTestContext(),
) {
  return sweepFiles({ dir, buckets: true, now: NOW, ...options }, ctx);
}

Deno.test("sweepFiles() follows no link in a bucket, nor one in its place", async () => {
  for (const slice of [0, 20]) {
    using dir = new TempDir();
    using outside = new TempDir();
    outside.file("precious/file");
    dir.file(`${OLD}/sub/file`);
    for (const place of [OLD, `${OLD}/sub`]) {
      Deno.symlinkSync(outside.at("precious"), dir.at(`${place}/to-folder`));
      Deno.symlinkSync(outside.at("precious/file"), dir.at(`${place}/to-file`));
      Deno.symlinkSync("nowhere", dir.at(`${place}/broken`));
      Deno.symlinkSync(".", dir.at(`${place}/loop`));
    }
    Deno.symlinkSync(outside.at("precious"), dir.at(OLDER));
    Deno.symlinkSync(outside.at("precious"), dir.at(`${OLDER}.removing`));
    Deno.symlinkSync("nowhere", dir.at("link"));
    const result = await sweep(dir.path, { slice });
    assertEquals(dir.tree(), ["link", OLDER, `${OLDER}.removing`].sort());
    assertEquals(outside.tree(), ["precious/", "precious/file"]);
    assertEquals([result.removed, result.skippedLinks, result.failed], [9, 3, 0]);
  }
});

Deno.test("sweepFiles() does not follow a bucket that becomes a link, whenever that happens", async () => {
  let swaps = 0;
  const places = [OLD, `${OLD}.removing`, `${OLD}/sub`, `${OLD}.removing/sub`];
  for (const [slice, place] of [0, 20].flatMap((n) => places.map((at) => [n, at] as const))) {
    for (let moment = 1; moment <= (slice === 0 ? 20 : 4); moment++) {
      using dir = new TempDir();
      using outside = new TempDir();
      for (const name of ["1", "2", "3"]) {
        dir.file(`${OLD}/${name}`);
        dir.file(`${OLD}/sub/${name}`);
        outside.file(name);
        outside.file(`sub/${name}`);
      }
      const ctx = createTestContext({
        onCheckpoint: (count) => {
          if (count !== moment) return;
          try {
            Deno.renameSync(dir.at(place), dir.at("moved"));
          } catch {
            return; // Not there at this moment.
          }
          Deno.symlinkSync(outside.path, dir.at(place));
          swaps++;
        },
      });
      await sweep(dir.path, { slice }, ctx);
      const all = ["1", "2", "3", "sub/", "sub/1", "sub/2", "sub/3"];
      assertEquals(outside.tree(), all, `swapped at ${moment}`);
      await sweep(dir.path);
      assertEquals(outside.tree(), all, `swapped at ${moment}, swept again`);
    }
  }
  assert(swaps > 20);
});

Deno.test("sweepFiles() with buckets does not follow the link of its root to another place", async () => {
  using dir = new TempDir();
  for (const place of ["one", "two"]) {
    for (const bucket of [OLD, OLDER, OLDEST]) dir.file(`${place}/${bucket}/file`);
  }
  Deno.symlinkSync(dir.at("one"), dir.at("current"));
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count !== 4) return;
      Deno.removeSync(dir.at("current"));
      Deno.symlinkSync(dir.at("two"), dir.at("current"));
    },
  });
  const result = await sweep(dir.at("current"), { slice: 0 }, ctx);
  assertEquals(dir.tree("two/").length, 6);
  assertEquals([result.failed, result.removed, result.vanished], [1, 0, 1]);
  assertEquals(dir.tree("one/").length, 6);
  assertEquals(result.failures[0]!.path, ".");
  assertStringIncludes(result.failures[0]!.error, "took the place of this folder");
});

Deno.test("sweepFiles() with buckets survives the loss of its root at any moment", async () => {
  for (let moment = 1; moment <= 12; moment++) {
    using dir = new TempDir();
    for (const bucket of [OLD, OLDER]) {
      for (const name of ["1", "2"]) dir.file(`root/${bucket}/${name}`);
    }
    const ctx = createTestContext({
      onCheckpoint: (count) => {
        if (count === moment) Deno.removeSync(dir.at("root"), { recursive: true });
      },
    });
    const result = await sweep(dir.at("root"), { slice: 0 }, ctx);
    assertEquals([result.failures, dir.tree()], [[], []]);
    assertEquals(result.matched, result.removed + result.kept + result.vanished);
  }
});

Deno.test("sweepFiles() with buckets refuses the root, home directories and missing folders", async () => {
  for (const path of ["/", "/etc", "/usr/", "/home", Deno.env.get("HOME")!]) {
    await assertRejects(() => sweep(path, { dryRun: true }), RangeError, "name a folder made for");
  }
  using dir = new TempDir();
  await assertRejects(() => sweep(dir.at("missing")), Deno.errors.NotFound, "no such folder");
  await assertRejects(() => sweep(dir.file("file")), Deno.errors.NotADirectory, "it is no folder");
});

Deno.test("sweepFiles() refuses options that have no meaning with buckets", async () => {
  using dir = new TempDir();
  dir.file(`${OLD}/file`);
  const others: Partial<FilesSweepInput>[] = [
    { ageFrom: "mtime" },
    { ageFrom: "name" },
    { maxTotalSize: 0 },
    { maxFiles: 0 },
    { include: [] },
    { exclude: ["*"] },
    { maxDepth: 1 },
    { removeEmptyDirs: false },
    { emptyDirAge: 0 },
  ];
  for (const other of others) {
    const [name] = Object.keys(other);
    await assertRejects(
      () => sweep(dir.path, other),
      TypeError,
      `Cannot sweep files: ${name} has no meaning with buckets, because a bucket goes as a whole`,
    );
  }
  for (const buckets of ["true", 1, null, []]) {
    await assertRejects(
      () => sweep(dir.path, { buckets } as unknown as FilesSweepInput),
      TypeError,
      "buckets must be true or false",
    );
  }
  assertEquals(dir.tree().length, 2);
});

Deno.test("sweepFiles() tells what it could not remove of a bucket, and tries it again", async () => {
  const module = import.meta.resolve("../../src/sweepers/files.ts");
  const source = `
    const { default: sweep } = await import(${JSON.stringify(module)});
    const [dir, now] = Deno.args;
    const ctx = { checkpoint() {}, progress() {}, log: { info() {}, warn() {} } };
    console.log(JSON.stringify(await sweep({ dir, buckets: true, now: Number(now) }, ctx)));`;
  using dir = new TempDir();
  for (const name of ["1", "2", "3", "firm"]) dir.file(`${OLD}/${name}`);
  dir.file(`${OLDER}/file`);
  const run = async (...deny: string[]) => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-config",
        "--no-lock",
        "--no-prompt",
        "--allow-read",
        "--allow-write",
        ...deny.map((path) => `--deny-write=${dir.at(path)}`),
        `data:text/javascript,${encodeURIComponent(source)}`,
        dir.path,
        `${NOW}`,
      ],
      env: { NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder().decode(stdout);
    assert(text !== "", new TextDecoder().decode(stderr));
    return JSON.parse(text);
  };
  // The whole bucket stays.
  const first = await run(OLDER, `${OLD}.removing/firm`);
  assertEquals(dir.tree(), [
    `${OLDER}/`,
    `${OLDER}/file`,
    `${OLD}.removing/`,
    `${OLD}.removing/firm`,
  ]);
  assertEquals([first.removed, first.kept, first.failed], [3, 1, 2]);
  assertEquals([first.removedBuckets, first.keptBuckets], [0, 2]);
  assertEquals(first.failures.map(({ path }: { path: string }) => path), [OLDER, `${OLD}/firm`]);
  for (const { error } of first.failures) assertStringIncludes(error, "NotCapable: ");

  const second = await run();
  assertEquals([second.removed, second.removedBuckets, second.failed], [2, 2, 0]);
  assertEquals(dir.tree(), []);
});
