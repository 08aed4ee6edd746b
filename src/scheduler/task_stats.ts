import { Durations, type DurationSummary } from "../base/durations.ts";
import { RUN_OUTCOMES, type RunOutcome, type RunResult } from "./run_result.ts";

/** What is known of a task's runs so far. Times are milliseconds since the epoch. */
export interface TaskStats {
  /** How many runs ended in each way. */
  readonly outcomes: Readonly<Record<RunOutcome, number>>;
  /** Due times that passed unused while the process was blocked, asleep or its clock jumped. */
  readonly missed: number;
  /** Runs that began more than a second after they were due. */
  readonly late: number;
  /** Attempts that were followed by another. */
  readonly retries: number;
  /** When a run last succeeded. */
  readonly lastSuccess: number | undefined;
  /** How the last run that was not skipped ended. */
  readonly lastOutcome: RunOutcome | undefined;
  /** The error of the last run that had one, and when that was. */
  readonly lastError: { readonly error: unknown; readonly at: number } | undefined;
  /** How long runs that began took. `undefined` before the first. */
  readonly duration: DurationSummary | undefined;
  /** How much later than due runs began, in milliseconds: the last one, and the worst of all. */
  readonly lateness: { readonly last: number; readonly max: number };
}

/** A run that begins this much later than it was due is late, in milliseconds. */
export const LATE = 1_000;

/** Counts what happens to the runs of one task. */
export class StatsRecorder {
  readonly #outcomes = Object.fromEntries(
    RUN_OUTCOMES.map((outcome) => [outcome, 0]),
  ) as Record<RunOutcome, number>;
  readonly #durations = new Durations();
  #lastSuccess: number | undefined;
  #lastOutcome: RunOutcome | undefined;
  #lastError: { error: unknown; at: number } | undefined;
  #lateness = { last: 0, max: 0 };
  #late = 0;
  /** Due times that passed unused. */
  missed = 0;
  /** Attempts that were followed by another. */
  retries = 0;

  /** Takes a run that has ended. */
  record(result: RunResult): void {
    this.#outcomes[result.outcome]++;
    if (result.outcome === "skipped") return;
    this.#lastOutcome = result.outcome;
    if (result.outcome === "succeeded") this.#lastSuccess = result.endedAt;
    if ("error" in result) this.#lastError = { error: result.error, at: result.endedAt };
    if (result.startedAt === undefined) return;
    this.#durations.add(result.duration);
    const { lateness } = result;
    this.#lateness = { last: lateness, max: Math.max(this.#lateness.max, lateness) };
    if (lateness > LATE) this.#late++;
  }

  /** The numbers as they are now. */
  snapshot(): TaskStats {
    return {
      outcomes: { ...this.#outcomes },
      missed: this.missed,
      late: this.#late,
      retries: this.retries,
      lastSuccess: this.#lastSuccess,
      lastOutcome: this.#lastOutcome,
      lastError: this.#lastError,
      duration: this.#durations.summary(),
      lateness: this.#lateness,
    };
  }
}
