import type { SchedulerEvent } from "../scheduler/events.ts";
import type { RunResult } from "../scheduler/run_result.ts";
import type { ScheduledTask } from "../scheduler/scheduled_task.ts";
import { describe, describeAnyValue, type DescribeValue } from "./_describe.ts";
import type { Output } from "./_output.ts";
import { Screen } from "./_screen.ts";
import { StallMeter } from "./_stall_meter.ts";
import { renderTable, type TableRow, type TableState } from "./_table.ts";
import type { View, ViewOptions } from "./_view.ts";

/** Milliseconds between two frames: five in a second are enough for a person. */
const FRAME = 200;
/** So many lines of what happened are kept for the frame. */
const NOTES = 5;

/** The table that a person watches. */
export class LiveView implements View {
  readonly #output: Output;
  readonly #options: ViewOptions;
  readonly #describeValue: DescribeValue;
  readonly #screen: Screen;
  readonly #meter = new StallMeter();
  readonly #timer = setInterval(() => this.#draw(), FRAME);
  readonly #startedAt = performance.now();
  readonly #lastResults = new Map<string, RunResult>();
  readonly #notes: string[] = [];
  #hint: string;
  #disposed = false;

  constructor(output: Output, options: ViewOptions) {
    this.#output = output;
    this.#options = options;
    this.#describeValue = options.describeValue ?? describeAnyValue;
    this.#hint = options.hint;
    this.#screen = new Screen(output);
  }

  event(event: SchedulerEvent): void {
    if (event.type === "run-ended") {
      // The table itself counts those that were skipped, and shows how the last one went.
      if (event.result.outcome === "skipped") return;
      this.#lastResults.set(event.task, event.result);
      if (event.result.outcome === "succeeded" && !this.#options.notesOfSuccess) return;
    }
    const line = describe(event, this.#describeValue);
    if (line === undefined) return;
    this.#notes.push(`${new Date(event.at).toLocaleTimeString("sv-SE")} ${line}`);
    if (this.#notes.length > NOTES) this.#notes.shift();
  }

  say(text: string): void {
    this.#hint = text;
    this.#draw();
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    clearInterval(this.#timer);
    this.#hint = "";
    this.#draw();
    this.#meter[Symbol.dispose]();
    this.#screen[Symbol.dispose]();
  }

  #draw(): void {
    this.#screen.draw(
      renderTable(this.#state(), { ...this.#output.size(), paint: this.#output.paint }),
    );
  }

  #state(): TableState {
    const now = Date.now();
    const tasks = this.#options.tasks();
    const workers = tasks.flatMap((task) => task.workers);
    return {
      title: this.#options.title,
      elapsed: performance.now() - this.#startedAt,
      rows: tasks.map((task) => this.#row(task, now)),
      workersAlive: workers.filter(({ state }) => state !== "dead").length,
      stuck: workers.filter(({ state }) => state === "stuck").map(({ worker }) => worker),
      longestStall: this.#meter.longest,
      notes: this.#notes,
      hint: this.#hint,
    };
  }

  #row(task: ScheduledTask, now: number): TableRow {
    const { outcomes } = task.stats;
    const { skipped, ...ended } = outcomes;
    const last = this.#lastResults.get(task.name);
    return {
      name: task.name,
      state: task.state,
      progress: task.active.find(({ progress }) => progress !== undefined)?.progress,
      lastOutcome: last?.outcome,
      lastDuration: last?.startedAt === undefined ? undefined : last.duration,
      nextIn: task.nextDue === undefined ? undefined : task.nextDue - now,
      runs: Object.values(ended).reduce((sum, count) => sum + count, 0),
      failed: outcomes.failed + outcomes.crashed + outcomes["timed-out"],
      skipped,
    };
  }
}
