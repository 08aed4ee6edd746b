import type { SchedulerEvent } from "../scheduler/events.ts";
import { RUN_OUTCOMES } from "../scheduler/run_result.ts";
import type { ScheduledTask } from "../scheduler/scheduled_task.ts";
import type { StuckWorker } from "../base/errors.ts";
import { counted, formatCount } from "./_format.ts";
import { OUTCOME_MARKS } from "./_table.ts";
import type { Paint } from "./_style.ts";

/** What the values of the demo's tasks count. */
const NOUNS: Readonly<Record<string, string>> = {
  "write-files": "file",
  "sweep-files": "file",
  "write-sessions": "row",
  "sweep-sessions": "row",
};

/** Adds up what the tasks of the demo did. */
export class DemoTally {
  readonly #totals = new Map<string, number>();

  /** Takes note of a run that ended. */
  event(event: SchedulerEvent): void {
    if (event.type !== "run-ended") return;
    const { task, value } = event.result;
    this.#totals.set(task, (this.#totals.get(task) ?? 0) + amountOf(value));
  }

  /** A line for each task. */
  report(
    tasks: readonly ScheduledTask[],
    stuck: readonly StuckWorker[],
    paint: Paint,
  ): string {
    const lines = tasks.map(({ name, stats }) => {
      const outcomes = RUN_OUTCOMES.filter((outcome) => stats.outcomes[outcome] > 0)
        .map((outcome) => {
          const text = `${formatCount(stats.outcomes[outcome])} ${outcome}`;
          return { text, painted: paint(OUTCOME_MARKS[outcome][1], text) };
        });
      const noun = NOUNS[name];
      const done = noun === undefined
        ? stuck.some(({ task }) => task === name) ? "its code never yields" : ""
        : `${counted(this.#totals.get(name) ?? 0, noun)} ${
          name.startsWith("write") ? "written" : "removed"
        }`;
      const retries = stats.retries === 0 ? "" : `${counted(stats.retries, "retry", "retries")}`;
      return {
        name,
        runs: outcomes.length === 0 ? "no run" : outcomes.map(({ text }) => text).join(", "),
        painted: outcomes.length === 0 ? "no run" : outcomes.map((x) => x.painted).join(", "),
        done: [done, retries].filter((text) => text !== "").join(", "),
      };
    });
    const nameWidth = Math.max(...lines.map(({ name }) => name.length));
    const runsWidth = Math.max(...lines.map(({ runs }) => runs.length));
    return lines.map(({ name, runs, painted, done }) =>
      `  ${name.padEnd(nameWidth)}  ${painted}${" ".repeat(runsWidth - runs.length)}  ${done}`
        .trimEnd()
    ).join("\n");
  }
}

/** What a run of the demo wrote or removed. */
function amountOf(value: unknown): number {
  const { written, removed } = (value ?? {}) as { written?: number; removed?: number };
  return written ?? removed ?? 0;
}

/** What a run of the demo did, in a few words. */
export function describeDemoValue(value: unknown, task: string): string {
  const noun = NOUNS[task];
  if (noun === undefined) return typeof value === "string" ? value : "";
  const done = task.startsWith("write") ? "written" : "removed";
  const { scanned } = value as { scanned?: number };
  return `${counted(amountOf(value), noun)}${
    scanned === undefined ? "" : ` of ${formatCount(scanned)}`
  } ${done}`;
}
