import { assert, assertEquals } from "@std/assert";
import { displayWidth, fit, sanitize, truncate } from "../../src/cli/_text.ts";

Deno.test("displayWidth() counts columns, not code units", () => {
  const cases: [text: string, columns: number][] = [
    ["", 0],
    ["sweep", 5],
    ["é", 1],
    ["e\u0301", 1],
    ["✓ ○ … █", 7],
    ["日本", 4],
    ["한국", 4],
    ["ｆｕｌｌ", 8],
    ["🦕", 2],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["⚠️", 2],
    ["a\u200Bb", 2],
  ];
  for (const [text, columns] of cases) assertEquals(displayWidth(text), columns, text);
});

Deno.test("truncate() never takes more columns than there are", () => {
  assertEquals(truncate("sweep", 5), "sweep");
  assertEquals(truncate("sweep", 4), "swe…");
  assertEquals(truncate("日本語", 6), "日本語");
  assertEquals(truncate("日本語", 5), "日本…");
  assertEquals(truncate("日本語", 4), "日…");
  assertEquals(truncate("🦕🦕", 3), "🦕…");
  assertEquals(truncate("sweep", 1), "…");
  assertEquals(truncate("sweep", 0), "");
  for (const text of ["sweep 日本 🦕 thumbnails", "👩‍👩‍👧👩‍👩‍👧", "e\u0301e\u0301e\u0301"]) {
    for (let columns = 0; columns < 30; columns++) {
      assert(displayWidth(truncate(text, columns)) <= columns, `${text} in ${columns}`);
      assertEquals(displayWidth(fit(text, columns)), columns, `${text} in ${columns}`);
    }
  }
});

Deno.test("fit() fills up on either side", () => {
  assertEquals(fit("日本", 6), "日本  ");
  assertEquals(fit("42", 5, "right"), "   42");
});

Deno.test("sanitize() leaves nothing that a terminal obeys", () => {
  const cases: [text: string, clean: string][] = [
    ["plain ✓ 🦕", "plain ✓ 🦕"],
    ["\x1b[31mred\x1b[0m", "red"],
    ["\x1b[2J\x1b[1;1Hgone", "gone"],
    ["\x1b]0;title\x07text", "text"],
    ["\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"],
    ["two\nlines\r\nthree\ttabs", "two lines three tabs"],
    ["bell\x07 back\b\x9b31m", "bell  back 31m"],
    ["ends in\x1b", "ends in"],
  ];
  for (const [text, clean] of cases) assertEquals(sanitize(text), clean, Deno.inspect(text));
});
