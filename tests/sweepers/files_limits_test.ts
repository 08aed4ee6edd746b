import { assertEquals } from "@std/assert";
import sweepFiles, { expiringName } from "../../src/sweepers/files.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDir } from "../support/temp_dir.ts";

Deno.test("sweepFiles() keeps to maxTotalSize exactly to the byte", async () => {
  for (const [maxTotalSize, left] of [[600, 3], [599, 2], [300, 1], [299, 0], [0, 0]] as const) {
    using dir = new TempDir();
    dir.file("a/1", { age: 3000, size: 100 });
    dir.file("b/2", { age: 2000, size: 200 });
    dir.file("3", { age: 1000, size: 300 });
    const result = await sweepFiles({ dir: dir.path, maxTotalSize }, createTestContext());
    assertEquals(
      dir.tree().filter((path) => !path.endsWith("/")),
      ["3", "b/2", "a/1"]
        .slice(0, left).sort(),
    );
    assertEquals(result.kept, left);
    assertEquals(result.removedBytes! + result.keptBytes!, 600);
  }
});

Deno.test("sweepFiles() keeps the newest maxFiles", async () => {
  using dir = new TempDir();
  for (let index = 0; index < 50; index++) dir.file(`${index % 7}/${index}`, { age: index * 1000 });
  const result = await sweepFiles({ dir: dir.path, maxFiles: 10 }, createTestContext());
  const left = dir.tree().filter((path) => !path.endsWith("/")).map((path) =>
    Number(path.slice(2))
  );
  assertEquals(left.sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assertEquals([result.removed, result.kept], [40, 10]);
});

Deno.test("sweepFiles() orders files of the same age by their path", async () => {
  for (const prefix of ["", "sub/"]) {
    using dir = new TempDir();
    const time = new Date(1_700_000_000_000);
    for (const name of ["d", "a", "c", "b", "e"]) {
      Deno.utimeSync(dir.file(prefix + name), time, time);
    }
    await sweepFiles({ dir: dir.path, maxFiles: 2 }, createTestContext());
    assertEquals(dir.tree().filter((path) => !path.endsWith("/")), [`${prefix}d`, `${prefix}e`]);
  }
});

Deno.test("sweepFiles() selects what a sort of all files would select", async () => {
  // The order in which a file system tells names is not ours to choose, so many random trees.
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 25; round++) {
    using dir = new TempDir();
    const now = Date.now();
    const files = Array.from({ length: 40 }, (_, index) => {
      const path = `${random(4)}/${index}`;
      const size = random(1000);
      const time = now - random(12) * 1000;
      Deno.utimeSync(dir.file(path, { size }), new Date(time), new Date(time));
      return { path, size, time: Deno.statSync(dir.at(path)).mtime!.getTime() };
    });
    const maxTotalSize = random(20_000);
    const maxFiles = random(45);
    files.sort((a, b) => a.time - b.time || (a.path < b.path ? -1 : 1));
    const expected = [...files];
    const total = () => expected.reduce((sum, { size }) => sum + size, 0);
    while (total() > maxTotalSize || expected.length > maxFiles) expected.shift();

    await sweepFiles({ dir: dir.path, maxTotalSize, maxFiles }, createTestContext());
    assertEquals(
      dir.tree().filter((path) => !path.endsWith("/")),
      expected.map(({ path }) => path).sort(),
    );
  }
});

Deno.test("sweepFiles() applies the limits to what olderThan leaves, and to what the globs select", async () => {
  using dir = new TempDir();
  dir.file("old", { age: 10_000, size: 100 });
  dir.file("mid", { age: 5_000, size: 100 });
  dir.file("new", { age: 1_000, size: 100 });
  dir.file("big.keep", { age: 20_000, size: 1000 });
  const result = await sweepFiles(
    { dir: dir.path, olderThan: 8_000, maxTotalSize: 200, exclude: ["*.keep"] },
    createTestContext(),
  );
  assertEquals(dir.tree(), ["big.keep", "mid", "new"]);
  assertEquals([result.removed, result.keptBytes], [1, 200]);
});

Deno.test("sweepFiles() removes what expires soonest when names hold the instants", async () => {
  using dir = new TempDir();
  const now = 1_764_518_400_000;
  for (const after of [5, 1, 3, 2, 4]) {
    dir.file(expiringName(`x${after}`, now + after), { size: 10 });
  }
  const input = { dir: dir.path, ageFrom: "name", now } as const;
  const byCount = await sweepFiles({ ...input, maxFiles: 3 }, createTestContext());
  assertEquals([byCount.removed, byCount.removedBytes], [2, null]);
  const bySize = await sweepFiles({ ...input, maxTotalSize: 10 }, createTestContext());
  assertEquals([bySize.removed, bySize.removedBytes, bySize.keptBytes], [2, 20, 10]);
  assertEquals(dir.tree(), [expiringName("x5", now + 5)]);
});

Deno.test("sweepFiles() keeps a file that is written between its look and its removal", async () => {
  using dir = new TempDir();
  dir.file("a/victim", { age: 9000 });
  dir.file("b/1", { age: 8000 });
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      // Two folders, their ends and two files were looked at: now the limit takes the oldest.
      if (count === 6) dir.file("a/victim", { size: 5 });
    },
  });
  const result = await sweepFiles({ dir: dir.path, maxFiles: 1, slice: Infinity }, ctx);
  assertEquals(dir.tree(), ["a/", "a/victim", "b/", "b/1"]);
  assertEquals([result.matched, result.removed, result.kept], [2, 0, 2]);
});

Deno.test("sweepFiles() does not take newer files for those that it cannot remove", async () => {
  using dir = new TempDir();
  const names = ["a", "b", "c", "d"].map((name, index) => expiringName(name, 2e12 + index));
  for (const name of names) dir.file(name);
  const ctx = createTestContext({
    onCheckpoint: (count) => {
      if (count !== 1) return;
      Deno.removeSync(dir.at(names[0]!));
      dir.file(`${names[0]}/not-empty`);
    },
  });
  const result = await sweepFiles({ dir: dir.path, ageFrom: "name", maxFiles: 3 }, ctx);
  assertEquals([result.failed, result.removed, result.kept], [1, 0, 4]);
});
