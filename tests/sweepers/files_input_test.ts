import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import sweepFiles, {
  expiringName,
  expiryOf,
  type FilesSweepInput,
} from "../../src/sweepers/files.ts";
import { compileGlob } from "../../src/sweepers/_glob.ts";
import { createTestContext } from "../../src/testing/mod.ts";
import { TempDir } from "../support/temp_dir.ts";

/** The sweep must throw this, and remove nothing. */
async function refuses(input: object, message: string): Promise<void> {
  using dir = new TempDir();
  dir.file("x", { age: 1e9 });
  await assertRejects(
    () => sweepFiles({ dir: dir.path, ...input } as FilesSweepInput, createTestContext()),
    Error,
    message,
  );
  assertEquals(dir.tree(), ["x"]);
}

Deno.test("sweepFiles() refuses options that it does not know", async () => {
  await refuses(
    { olderThan: 0, maxTotalSise: 5 },
    'there is no such option (did you mean "maxTotalSize"?); the options are dir, olderThan, ' +
      "buckets, ageFrom, maxTotalSize, maxFiles, include, exclude, maxDepth, removeEmptyDirs, emptyDirAge, " +
      'dryRun, slice, now: received "maxTotalSise"',
  );
  await refuses({ olderThan: 0, dryrun: true }, '(did you mean "dryRun"?)');
});

Deno.test("sweepFiles() refuses to sweep without any criterion", async () => {
  for (
    const input of [{}, { include: ["*"] }, { olderThan: undefined }, { removeEmptyDirs: true }]
  ) {
    await refuses(input, "give at least one of olderThan, maxTotalSize, maxFiles, ageFrom");
  }
});

Deno.test("sweepFiles() refuses values that make no sense", async () => {
  await refuses({ olderThan: -1 }, "as olderThan");
  await refuses({ olderThan: NaN }, "as olderThan");
  await refuses({ olderThan: "7d" }, "as olderThan");
  await refuses({ olderThan: null }, "as olderThan");
  await refuses({ olderThan: {} }, "as olderThan");
  await refuses({ maxTotalSize: -1 }, "maxTotalSize must be a whole number of at least 0");
  await refuses({ maxTotalSize: "1GB" }, "received '1GB'".replaceAll("'", '"'));
  await refuses({ maxFiles: 1.5 }, "maxFiles must be a whole number");
  await refuses({ olderThan: 0, maxDepth: -1 }, "maxDepth must be a whole number");
  await refuses({ olderThan: 0, ageFrom: "ctime" }, 'ageFrom must be "mtime" or "atime" or "name"');
  await refuses({ olderThan: 0, ageFrom: "name" }, "olderThan has no meaning");
  await refuses({ olderThan: 0, dryRun: "false" }, "dryRun must be true or false");
  await refuses({ olderThan: 0, include: "*.tmp" }, "include must be an array of globs");
  await refuses({ olderThan: 0, dir: 5 }, "dir must be a string");
  for (const input of [undefined, null, "dir", ["dir"]]) {
    await assertRejects(
      () => sweepFiles(input as unknown as FilesSweepInput, createTestContext()),
      TypeError,
      "expected an object",
    );
  }
});

Deno.test("expiringName() and expiryOf() fit each other, and nothing else", () => {
  assertEquals(expiryOf(expiringName("a.b.1234567890123.exp", 1e12)), 1e12);
  assertEquals(expiryOf(`dir/${expiringName("x", new Date(1e12 + 5))}`), 1e12 + 5);
  // Rounded up: a file must not expire early.
  assertEquals(expiringName("x", 1e12 + 0.2), "x.1000000000001.exp");
  for (
    const name of [
      "x.exp",
      "x.2024.exp",
      "x.123456789012.exp",
      "x.12345678901234.exp",
      "x.0000000000001.exp",
      ".1764518400000.exp",
      "x.1764518400000.exp.tmp",
      "x-1764518400000.exp",
      "x.1764518400000.EXP",
    ]
  ) {
    assertEquals(expiryOf(name), undefined, name);
  }
  for (const name of ["", "a/b", "a\\b", "a\0"]) {
    assertThrows(() => expiringName(name, 1e12), TypeError, "one path segment");
  }
  for (const instant of [0, 1e12 - 1, 1e13, NaN, Infinity, new Date(NaN)]) {
    assertThrows(() => expiringName("x", instant), RangeError, "milliseconds since the epoch");
  }
});

Deno.test("compileGlob() follows its rules", () => {
  const cases: [glob: string, fits: string[], others: string[]][] = [
    ["*", ["a", ".a", "x/a"], []],
    ["*.tmp", ["a.tmp", ".tmp", "x/y/.b.tmp"], ["a.tmp.x", "atmp", "A.TMP"]],
    ["/*.tmp", ["a.tmp", ".a.tmp"], ["x/a.tmp"]],
    ["x/*.tmp", ["x/a.tmp"], ["a.tmp", "y/x/a.tmp", "x/y/a.tmp"]],
    ["**/*.tmp", ["a.tmp", "x/a.tmp", ".x/y/a.tmp"], ["a.tmpx"]],
    ["x/**", ["x/a", "x/.b/c"], ["x", "xx/a", "y/x/a"]],
    ["x/**/a", ["x/a", "x/y/a", "x/y/z/a"], ["xa", "x/ya"]],
    ["**", ["a", "x/.y/a"], []],
    ["a?c", ["abc", "a.c"], ["ac", "abbc"]],
    ["x/?", ["x/y"], ["x/", "x//"]],
    ["[abc]1", ["a1", "b1"], ["d1", "1"]],
    ["[!abc]1", ["d1"], ["a1"]],
    ["[^a-c]1", ["d1"], ["b1"]],
    ["[*]", ["*"], ["a"]],
    ["[]]", ["]"], ["a"]],
    ["x[!a]y/b", ["xby/b"], ["x/y/b"]],
    ["*.{jpg,png}", ["a.jpg", "a.png"], ["a.gif", "a.jpgpng"]],
    ["{a,b/**}/c", ["a/c", "b/x/c"], ["b/c/d"]],
    ["{a,{b,c}}d", ["ad", "bd", "cd"], ["abd"]],
    ["a,b", ["a,b"], ["a"]],
    ["a.b+(c)$^|}", ["a.b+(c)$^|}"], ["axb+(c)$^|}"]],
    ["a\nb*", ["a\nb\n"], []],
    ["日*", ["日本"], ["本"]],
  ];
  for (const [glob, fits, others] of cases) {
    const matches = compileGlob(glob, "include");
    const test = (path: string) => matches(path, path.slice(path.lastIndexOf("/") + 1));
    for (const path of fits) assertEquals(test(path), true, `${glob} must fit ${path}`);
    for (const path of others) assertEquals(test(path), false, `${glob} must not fit ${path}`);
  }
});

Deno.test("compileGlob() refuses what would mean something else than it seems to", () => {
  const cases: [glob: unknown, message: string][] = [
    ["", "must be a string that is not empty"],
    [5, "must be a string that is not empty"],
    ["a\\b", "separate folders by /"],
    ["!a", "! does not negate"],
    ["logs/", "write logs/** for the files below it"],
    ["../a", "relative to dir"],
    ["./a", "relative to dir"],
    ["a//b", "relative to dir"],
    ["/", "it names a folder"],
    ["a**", "** must stand alone"],
    ["***", "** must stand alone"],
    ["[ab", "a [ is not closed"],
    ["[b-a]", "is no set of characters"],
    ["[a/b]", "characters but no /"],
    ["{a,b", "a { is not closed"],
  ];
  for (const [glob, message] of cases) {
    assertThrows(() => compileGlob(glob, "include"), TypeError, message, String(glob));
  }
});
