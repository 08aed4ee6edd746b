import { assert, assertEquals } from "@std/assert";
import { colored, plain } from "../../src/cli/_style.ts";
import { renderTable, type TableRow, type TableState } from "../../src/cli/_table.ts";
import { displayWidth, sanitize } from "../../src/cli/_text.ts";

function row(name: string, changes: Partial<TableRow> = {}): TableRow {
  return {
    name,
    state: "waiting",
    progress: undefined,
    lastOutcome: undefined,
    lastDuration: undefined,
    nextIn: undefined,
    runs: 0,
    failed: 0,
    skipped: 0,
    ...changes,
  };
}

const STATE: TableState = {
  title: "leash run tasks.ts",
  elapsed: 65_432,
  rows: [
    row("sweep-files", {
      state: "running",
      progress: { done: 5, total: 8 },
      lastOutcome: "succeeded",
      lastDuration: 412,
      nextIn: 640,
      runs: 12_345,
      skipped: 1,
    }),
    row("reconcile", {
      state: "running",
      progress: { done: 12_345, total: undefined },
      lastOutcome: "timed-out",
      lastDuration: 30_000,
      nextIn: 125_000,
      runs: 3,
      failed: 2,
    }),
    row("🦕 日本", { state: "paused" }),
  ],
  workersAlive: 3,
  stuck: ["reconcile#4"],
  longestStall: 23.4,
  notes: ["10:00:00 ✗ reconcile timed-out"],
  hint: "Ctrl-C stops it.",
};

const at = (columns: number, rows = 40) => ({ columns, rows, paint: plain });

Deno.test("renderTable() shows all tasks, and what is true of all of them", () => {
  assertEquals(
    renderTable(STATE, at(110)).join("\n"),
    `\
 leash run tasks.ts · 1m 5s · workers alive 3 (1 stuck: reconcile#4) · longest stall 23ms

 TASK         STATE                             LAST           TOOK    NEXT    RUNS  FAILED  SKIPPED
 sweep-files  ● running ███████████░░░░░░  62%  ✓ succeeded   412ms    0.6s  12,345       0        1
 reconcile    ● running 12,345                  ✗ timed-out     30s   2m 5s       3       2        0
 🦕 日本      ‖ paused                          –                 –       –       0       0        0

 10:00:00 ✗ reconcile timed-out

 Ctrl-C stops it.`,
  );
});

Deno.test("renderTable() leaves columns out where there is no room", () => {
  const headers = [110, 76, 68, 58, 50, 40, 30].map((columns) =>
    renderTable(STATE, at(columns))[2]!.trim().split(/ +/).join(" ")
  );
  assertEquals(headers, [
    "TASK STATE LAST TOOK NEXT RUNS FAILED SKIPPED",
    "TASK STATE LAST TOOK NEXT RUNS FAILED",
    "TASK STATE LAST NEXT RUNS FAILED",
    "TASK STATE LAST NEXT FAILED",
    "TASK STATE LAST NEXT",
    "TASK STATE LAST",
    "TASK STATE",
  ]);
});

Deno.test("renderTable() never draws a line that is too long, nor too many lines", () => {
  const many: TableState = {
    ...STATE,
    rows: Array.from(
      { length: 30 },
      (_, index) => row(`task 日本 👩‍👩‍👧 with a name that has no end ${index}`, STATE.rows[index % 3]),
    ),
    notes: Array.from({ length: 5 }, (_, index) => `note ${index} ${"🦕 ".repeat(60)}`),
  };
  for (const state of [STATE, many]) {
    for (let columns = 21; columns < 200; columns += 3) {
      for (const rows of [3, 8, 10, 12, 24, 60]) {
        const lines = renderTable(state, at(columns, rows));
        assert(lines.length < rows, `${lines.length} lines of ${rows}`);
        for (const line of lines) assert(displayWidth(line) < columns, `${columns}: ${line}`);
      }
    }
  }
});

Deno.test("renderTable() says how many tasks there is no room for", () => {
  const rows = Array.from({ length: 30 }, (_, index) => row(`task ${index}`));
  const lines = renderTable({ ...STATE, rows, notes: [] }, at(80, 16));
  assertEquals(lines.filter((line) => line.startsWith(" task")).length, 9);
  assert(lines.includes(" … 21 more tasks"), lines.join("\n"));
});

Deno.test("renderTable() does not obey the names of tasks", () => {
  const rows = [row("\x1b[2Jclears\nthe screen", { state: "running" })];
  const notes = ["a\x1b[31m note\nof two lines"];
  const lines = renderTable({ ...STATE, rows, notes }, at(80));
  for (const line of lines) assertEquals(line, sanitize(line));
});

Deno.test("renderTable() paints where it is asked to, and the text stays the same", () => {
  const painted = renderTable(STATE, { columns: 110, rows: 40, paint: colored });
  assert(painted.join("\n").includes("\x1b[32m✓ succeeded\x1b[39m"));
  assertEquals(painted.map(sanitize), renderTable(STATE, at(110)));
});

Deno.test("renderTable() copes with odd progress", () => {
  const state = (done: number, total: number | undefined) =>
    renderTable(
      { ...STATE, rows: [row("x", { state: "running", progress: { done, total } })] },
      at(120),
    )[3]!.trim().split(/ {2,}/).slice(1, -6).join(" ");
  assertEquals(state(0, 0), "● running 0");
  assertEquals(state(5, NaN), "● running 5");
  assertEquals(state(0, 10), "● running ░░░░░░░░░░░░░░░░░ 0%");
  assertEquals(state(99, 10), "● running █████████████████ 100%");
  assertEquals(state(-5, 10), "● running ░░░░░░░░░░░░░░░░░ 0%");
});
