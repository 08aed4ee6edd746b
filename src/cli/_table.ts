import { formatDuration } from "../base/format_duration.ts";
import type { RunOutcome } from "../scheduler/run_result.ts";
import type { TaskState } from "../scheduler/scheduled_task.ts";
import { counted, formatCount, formatWait } from "./_format.ts";
import type { Paint, Style } from "./_style.ts";
import { displayWidth, fit, sanitize, truncate } from "./_text.ts";

/** One task as the table shows it. */
export interface TableRow {
  readonly name: string;
  readonly state: TaskState;
  /** How far the run that goes on is. */
  readonly progress: { readonly done: number; readonly total: number | undefined } | undefined;
  readonly lastOutcome: RunOutcome | undefined;
  /** Milliseconds. */
  readonly lastDuration: number | undefined;
  /** Milliseconds until it is due. */
  readonly nextIn: number | undefined;
  readonly runs: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Everything that a frame shows. */
export interface TableState {
  readonly title: string;
  /** Milliseconds since the start. */
  readonly elapsed: number;
  readonly rows: readonly TableRow[];
  readonly workersAlive: number;
  /** The names of workers that were terminated and live on. */
  readonly stuck: readonly string[];
  /** Milliseconds. */
  readonly longestStall: number;
  /** What happened last, the newest at the end. */
  readonly notes: readonly string[];
  /** What the person can do. */
  readonly hint: string;
}

/** What a frame must fit into. */
export interface TableLayout {
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
}

/** How an outcome is shown. */
export const OUTCOME_MARKS: Readonly<Record<RunOutcome, readonly [mark: string, style: Style]>> = {
  succeeded: ["✓", "green"],
  failed: ["✗", "red"],
  crashed: ["✗", "red"],
  "timed-out": ["✗", "red"],
  cancelled: ["■", "yellow"],
  replaced: ["■", "yellow"],
  aborted: ["■", "yellow"],
  skipped: ["»", "yellow"],
};

const STATE_MARKS: Readonly<Record<TaskState, readonly [mark: string, style: Style]>> = {
  waiting: ["○", "dim"],
  running: ["●", "cyan"],
  paused: ["‖", "yellow"],
  finished: ["✓", "dim"],
  "given-up": ["✗", "red"],
  stopping: ["◌", "yellow"],
  stopped: ["■", "dim"],
};

interface Column {
  readonly title: string;
  readonly align: "left" | "right";
  /** Columns with the lowest number are left out first. The name and the state stay. */
  readonly rank: number;
  text(row: TableRow, width: number): string;
  style?(row: TableRow): Style | undefined;
}

const GAP = 2;
const NAME_WIDTH = { least: 8, most: 28 };
const STATE_WIDTH = { least: 11, most: 32 };

const NAME: Column = { title: "TASK", align: "left", rank: 9, text: (row) => sanitize(row.name) };
const STATE: Column = {
  title: "STATE",
  align: "left",
  rank: 9,
  text: (row, width) => `${STATE_MARKS[row.state][0]} ${stateText(row, width - 2)}`,
  style: (row) => STATE_MARKS[row.state][1],
};
const COLUMNS: readonly Column[] = [
  {
    title: "LAST",
    align: "left",
    rank: 6,
    text: ({ lastOutcome }) =>
      lastOutcome === undefined ? "–" : `${OUTCOME_MARKS[lastOutcome][0]} ${lastOutcome}`,
    style: ({ lastOutcome }) => lastOutcome === undefined ? "dim" : OUTCOME_MARKS[lastOutcome][1],
  },
  {
    title: "TOOK",
    align: "right",
    rank: 2,
    text: ({ lastDuration }) => lastDuration === undefined ? "–" : formatDuration(lastDuration),
  },
  {
    title: "NEXT",
    align: "right",
    rank: 5,
    text: ({ nextIn }) => nextIn === undefined ? "–" : formatWait(nextIn),
  },
  { title: "RUNS", align: "right", rank: 3, text: ({ runs }) => formatCount(runs) },
  {
    title: "FAILED",
    align: "right",
    rank: 4,
    text: ({ failed }) => formatCount(failed),
    style: ({ failed }) => failed > 0 ? "red" : undefined,
  },
  {
    title: "SKIPPED",
    align: "right",
    rank: 1,
    text: ({ skipped }) => formatCount(skipped),
    style: ({ skipped }) => skipped > 0 ? "yellow" : undefined,
  },
];

/**
 * Draws a frame: one line per task, what is true of all of them above, what happened below.
 *
 * @param state What to show.
 * @param layout What it must fit into: no line is longer, and there are no more lines.
 * @returns The lines.
 */
export function renderTable(state: TableState, layout: TableLayout): string[] {
  const { paint } = layout;
  // A line that fills the terminal to its last column makes some of them begin a new one.
  const columns = Math.max(20, layout.columns - 1);
  // The summary, a blank and the header; a blank and the hint; the line where the cursor waits.
  const room = Math.max(1, layout.rows - (state.hint === "" ? 4 : 6));
  const hidden = state.rows.length > room ? state.rows.length - room + 1 : 0;
  const rows = state.rows.slice(0, state.rows.length - hidden);
  const lines = [summary(state, columns, paint), "", ...table(rows, columns, paint)];
  if (hidden > 0) lines.push(paint("dim", ` … ${counted(hidden, "more task")}`));
  // Tasks first, then what happened last, with a blank above.
  const noteRoom = Math.max(0, room - state.rows.length - 1);
  const notes = state.notes.slice(Math.max(0, state.notes.length - noteRoom));
  if (notes.length > 0) lines.push("");
  for (const note of notes) lines.push(paint("dim", truncate(` ${sanitize(note)}`, columns)));
  if (state.hint !== "") lines.push("", truncate(` ${sanitize(state.hint)}`, columns));
  return lines.slice(0, Math.max(1, layout.rows - 1));
}

function summary(state: TableState, columns: number, paint: Paint): string {
  const { title, elapsed, workersAlive, stuck, longestStall } = state;
  const alive = `workers alive ${workersAlive}` +
    (stuck.length === 0 ? "" : ` (${stuck.length} stuck: ${stuck.join(", ")})`);
  const parts: [Style | undefined, string][] = [
    ["bold", title],
    [undefined, elapsed < 1_000 ? "0s" : formatDuration(Math.floor(elapsed / 1_000) * 1_000)],
    [stuck.length === 0 ? undefined : "yellow", alive],
    [undefined, `longest stall ${formatDuration(Math.round(longestStall))}`],
  ];
  let line = "";
  let left = columns;
  for (const [style, text] of parts) {
    const part = truncate(`${left === columns ? " " : " · "}${sanitize(text)}`, left);
    line += paint(style, part);
    left -= displayWidth(part);
  }
  return line;
}

function table(rows: readonly TableRow[], columns: number, paint: Paint): string[] {
  const natural = (column: Column, least: number): number =>
    Math.max(
      least,
      displayWidth(column.title),
      ...rows.map((row) => displayWidth(column.text(row, Infinity))),
    );
  const nameWidth = Math.min(
    natural(NAME, NAME_WIDTH.least),
    NAME_WIDTH.most,
    Math.max(NAME_WIDTH.least, Math.floor(columns / 3)),
  );
  let others = COLUMNS.map((column) => ({ column, width: natural(column, 6) }));
  const left = (): number =>
    columns - 1 - nameWidth - GAP - others.reduce((sum, { width }) => sum + GAP + width, 0);
  while (left() < STATE_WIDTH.least && others.length > 0) {
    const lowest = Math.min(...others.map(({ column }) => column.rank));
    others = others.filter(({ column }) => column.rank !== lowest);
  }
  const shown = [
    { column: NAME, width: nameWidth },
    { column: STATE, width: Math.max(1, Math.min(STATE_WIDTH.most, left())) },
    ...others,
  ];
  const line = (cell: (column: Column, width: number) => string): string =>
    ` ${shown.map(({ column, width }) => cell(column, width)).join(" ".repeat(GAP))}`;
  return [
    paint("dim", line(({ title, align }, width) => fit(title, width, align)).trimEnd()),
    ...rows.map((row) =>
      line((column, width) =>
        paint(column.style?.(row), fit(column.text(row, width), width, column.align))
      )
    ),
  ];
}

function stateText({ state, progress }: TableRow, width: number): string {
  if (state !== "running" || progress === undefined) return state;
  const { done, total } = progress;
  if (total === undefined || !(total > 0)) return `running ${formatCount(done)}`;
  const part = Math.min(1, Math.max(0, done / total));
  const percent = `${Math.floor(part * 100)}%`;
  const bar = width - "running ".length - " 100%".length;
  if (bar < 4) return width < "running 100%".length ? percent : `running ${percent}`;
  const full = Math.round(part * bar);
  return `running ${"█".repeat(full)}${"░".repeat(bar - full)} ${percent.padStart(4)}`;
}
