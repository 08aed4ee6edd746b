import { assertEquals, assertThrows } from "@std/assert";
import { parseCount, parseDuration, parseSize } from "../../src/cli/_units.ts";
import { UsageError } from "../../src/cli/_usage.ts";

Deno.test("parseDuration() reads units, the longest first", () => {
  const cases: [text: string, milliseconds: number][] = [
    ["500ms", 500],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    ["7d", 604_800_000],
    ["2w", 1_209_600_000],
    ["1w2d3h4m5s6ms", 604_800_000 + 183_845_006],
    ["0s", 0],
  ];
  for (const [text, milliseconds] of cases) {
    assertEquals(parseDuration(text, "--every"), milliseconds, text);
  }
});

Deno.test("parseDuration() refuses what is not clear", () => {
  for (
    const text of [
      "",
      "7",
      "7 d",
      "d",
      "-1s",
      "1m1h",
      "1s1s",
      "1S",
      "1y",
      "1.s",
      ".5s",
      "1e3s",
      "s1",
    ]
  ) {
    assertThrows(
      () => parseDuration(text, "--every"),
      UsageError,
      `--every: expected a duration such as 500ms, 30s, 1h30m or 7d: received ${text || '""'}`,
    );
  }
  assertThrows(() => parseDuration(`${"9".repeat(20)}d`, "--every"), UsageError, "shorter");
  assertThrows(() => parseDuration("0s", "--every", 1), UsageError, "at least 1ms: received 0s");
});

Deno.test("parseSize() knows powers of 1000 and of 1024", () => {
  const cases: [text: string, bytes: number][] = [
    ["800", 800],
    ["0", 0],
    ["10k", 10_000],
    ["10kB", 10_000],
    ["500MB", 500e6],
    ["1.5GB", 1.5e9],
    ["1t", 1e12],
    ["512KiB", 524_288],
    ["2gib", 2_147_483_648],
    ["1Ti", 1_099_511_627_776],
    ["3B", 3],
  ];
  for (const [text, bytes] of cases) assertEquals(parseSize(text, "--max-size"), bytes, text);
});

Deno.test("parseSize() refuses what is not clear", () => {
  for (const text of ["", "GB", "1 GB", "-1", "1PB", "1.5.5k", "1kib2", "0x10", "99999999TB"]) {
    assertThrows(() => parseSize(text, "--max-size"), UsageError, "--max-size: expected a size");
  }
});

Deno.test("parseCount() reads whole numbers only", () => {
  assertEquals(parseCount("0", "--max-files"), 0);
  assertEquals(parseCount("12345", "--max-files"), 12_345);
  for (const text of ["", "-1", "1.5", "10k", "1e3", "99999999999999999999"]) {
    assertThrows(
      () => parseCount(text, "--max-files"),
      UsageError,
      "--max-files: expected a whole number of at least 0",
    );
  }
});
