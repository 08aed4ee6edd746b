import { assertEquals } from "@std/assert";
import { describe, describeAnyValue } from "../../src/cli/_describe.ts";
import { counted, formatBytes, formatLocal, formatUtc, formatWait } from "../../src/cli/_format.ts";
import { describeSweep, reportSweep } from "../../src/cli/_sweep_result.ts";
import { plain } from "../../src/cli/_style.ts";
import type { RunResult } from "../../src/scheduler/run_result.ts";
import type { FilesSweepResult } from "../../src/sweepers/files.ts";

const RESULT: RunResult = {
  runId: "sweep-1",
  task: "sweep",
  outcome: "succeeded",
  value: { removed: 1_234, kept: 0, dir: "/x" },
  trigger: "schedule",
  attempts: 1,
  dueAt: 0,
  startedAt: 0,
  endedAt: 40,
  duration: 40,
  lateness: 0,
  worker: "sweep#1",
};

const ended = (changes: Partial<RunResult>, nextIn?: number): string | undefined =>
  describe(
    { type: "run-ended", at: 0, task: "sweep", result: { ...RESULT, ...changes } },
    describeAnyValue,
    nextIn,
  );

Deno.test("describe() says how a run ended, and when the next one is due", () => {
  assertEquals(ended({}, 2_000), "✓ sweep succeeded in 40ms: removed 1,234 (next in 2s)");
  assertEquals(ended({ value: undefined }, 0), "✓ sweep succeeded in 40ms (next now)");
  assertEquals(
    ended({ outcome: "failed", error: new RangeError("no\nluck") }, 61_000),
    "✗ sweep failed after 40ms: RangeError: no luck (next in 1m 1s)",
  );
  assertEquals(
    ended({ outcome: "skipped" }),
    "» sweep skipped: the run before it has not ended",
  );
  assertEquals(
    ended({ outcome: "aborted", reason: new DOMException("Received SIGINT", "AbortError") }),
    "■ sweep aborted after 40ms: AbortError: Received SIGINT",
  );
});

Deno.test("describe() leaves out what nobody asked for, and shows log records", () => {
  const base = { at: 0, task: "sweep", runId: "sweep-1" };
  assertEquals(
    describe({ ...base, type: "run-progress", done: 1, total: 2 }, describeAnyValue),
    undefined,
  );
  assertEquals(
    describe(
      { ...base, type: "run-log", level: "warn", message: "odd\x1b[2J", data: undefined },
      describeAnyValue,
    ),
    "· sweep warn: odd",
  );
});

Deno.test("describeAnyValue() is short, whatever the value is", () => {
  const cases: [value: unknown, text: string][] = [
    [undefined, ""],
    [1234.56, "1,234.6"],
    ["two\nlines", "two lines"],
    [{ a: 0, b: 2, c: "x", d: 3.25 }, "b 2, d 3.3"],
    [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, "a 1, b 2, c 3, d 4, e 5"],
    [{ city: "Berlin" }, "{ city: 'Berlin' }"],
    [[1, 2], "[ 1, 2 ]"],
    [null, "null"],
    ["x".repeat(500), `${"x".repeat(119)}…`],
  ];
  for (const [value, text] of cases) {
    assertEquals(describeAnyValue(value, "task").replaceAll('"', "'"), text);
  }
});

Deno.test("numbers are written for people", () => {
  assertEquals([counted(1, "file"), counted(12_345, "file")], ["1 file", "12,345 files"]);
  assertEquals(
    [0, 999, 1_000, 999_949, 999_950, 1.25e9, 3e18].map(formatBytes),
    ["0 B", "999 B", "1 kB", "999.9 kB", "1 MB", "1.3 GB", "3,000 PB"],
  );
  assertEquals(
    [-5, 0, 40, 640, 9_949, 9_950, 125_400].map(formatWait),
    ["now", "now", "0.0s", "0.6s", "9.9s", "10s", "2m 5s"],
  );
  assertEquals(formatUtc(0), "1970-01-01T00:00:00Z");
  assertEquals(formatUtc(5), "1970-01-01T00:00:00.005Z");
  assertEquals(formatLocal(0, "Asia/Tokyo"), "1970-01-01 09:00:00");
});

const SWEPT: FilesSweepResult = {
  dir: "/cache",
  dryRun: false,
  scanned: 20_000,
  matched: 19_000,
  removed: 12_345,
  removedBytes: 1.2e9,
  kept: 6_654,
  keptBytes: 7e8,
  vanished: 1,
  unknownAge: 0,
  removedDirs: 2,
  removedBuckets: 0,
  keptBuckets: 0,
  skippedNames: 0,
  skippedDirs: 0,
  skippedLinks: 0,
  skippedSpecial: 0,
  failed: 21,
  failures: [{ path: "a/b", error: "PermissionDenied: no" }],
  sample: ["a/c"],
  durationMs: 412.3,
};

Deno.test("describeSweep() is one line, reportSweep() tells all", () => {
  assertEquals(
    describeSweep(SWEPT),
    "removed 12,345 of 20,000 files (1.2 GB) and 2 empty folders, 21 failed",
  );
  assertEquals(
    reportSweep(SWEPT, plain),
    `\
Swept /cache in 412ms
  scanned   20,000 files
  matched   19,000 files
  removed   12,345 files (1.2 GB)
  kept      6,654 files (700 MB)
  vanished  1 file
  removed   2 empty folders
  failed    21 files or folders
    a/b: PermissionDenied: no
    … and 20 more
`,
  );
  const dryRun = {
    ...SWEPT,
    dryRun: true,
    removed: 2,
    removedBytes: null,
    keptBytes: null,
    failed: 0,
    failures: [],
  };
  assertEquals(describeSweep(dryRun), "would remove 2 of 20,000 files and 2 empty folders");
  assertEquals(reportSweep(dryRun, plain).split("\n").slice(-4, -1), [
    "  of which",
    "    a/c",
    "    … and 1 more",
  ]);
});
