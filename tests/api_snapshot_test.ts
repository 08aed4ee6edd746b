import { assertEquals, fail } from "@std/assert";
import { readApi, SNAPSHOT } from "./support/api_text.ts";
import { readEntries } from "./support/entries.ts";
import { lineDiff } from "./support/line_diff.ts";

const { absent } = await readEntries();

Deno.test({
  name: "the public API is the one in tests/api.txt",
  // Half a package has no API to keep; `deno publish --dry-run` fails for it anyway.
  ignore: absent.length > 0,
  async fn() {
    const expected = await Deno.readTextFile(SNAPSHOT).catch(() => undefined);
    const actual = await readApi();
    if (actual === expected) return;
    const change = expected === undefined
      ? "there is no such file yet"
      : `the API changed:\n${lineDiff(expected, actual)}`;
    fail(`when this is intended, run "deno task api:update" and commit tests/api.txt: ${change}`);
  },
});

Deno.test("lineDiff() names the lines that differ, and what they belong to", () => {
  const before = "class A\n  a: 1\n  b: 2\n\nclass B\n  c: 3\n";
  const after = "class A\n  a: 1\n  b: 3\n\nclass B\n  c: 3\n\nclass C\n  d: 4\n";
  assertEquals(
    lineDiff(before, after),
    "  class A\n-   b: 2\n+   b: 3\n+ class C\n+   d: 4",
  );
  assertEquals(lineDiff(after, after), "");
});
