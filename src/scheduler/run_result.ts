import type { AbortEnding } from "../pool/run.ts";

/** How a run ended. There is exactly one for every run, also for those that never began. */
export type RunOutcome =
  /** The task returned. */
  | "succeeded"
  /** The task threw, or its module could not be loaded. */
  | "failed"
  /** The worker ended under the task, or an error in it was not caught. */
  | "crashed"
  /** The task did not end within its timeout. */
  | "timed-out"
  /** Somebody cancelled this run. */
  | "cancelled"
  /** A newer run took its place. */
  | "replaced"
  /** The owner stopped. */
  | "aborted"
  /** It was due while another run had not ended, so it did not begin. */
  | "skipped";

/** All outcomes, for tables and counters. */
export const RUN_OUTCOMES: readonly RunOutcome[] = [
  "succeeded",
  "failed",
  "crashed",
  "timed-out",
  "cancelled",
  "replaced",
  "aborted",
  "skipped",
];

/** The outcomes after which a run is tried again, where that was asked for. */
export const FAILURES: ReadonlySet<RunOutcome> = new Set<RunOutcome>([
  "failed",
  "crashed",
  "timed-out",
]);

/** One run that has ended. Times are milliseconds since the epoch, lengths milliseconds. */
export interface RunResult<Output = unknown> {
  /** Unique in this process. */
  readonly runId: string;
  /** The name of the task. */
  readonly task: string;
  /** How it ended. */
  readonly outcome: RunOutcome;
  /** What the task returned, when it succeeded. */
  readonly value?: Output;
  /** What the task threw, or why it could not go on: failed, crashed, timed out. */
  readonly error?: unknown;
  /** Why it had to stop: timed out, cancelled, replaced, aborted. */
  readonly reason?: unknown;
  /** How the task took it that it had to stop. */
  readonly ending?: AbortEnding;
  /** The schedule, or somebody who called `trigger()`. */
  readonly trigger: "schedule" | "manual";
  /** How many times the task was tried. 0: it did not begin. */
  readonly attempts: number;
  /** When it was due. */
  readonly dueAt: number;
  /** When the task first began; `undefined` when it did not. */
  readonly startedAt: number | undefined;
  /** When it ended. */
  readonly endedAt: number;
  /**
   * From the first begin to the end: with retries and the waits between them, and with the time that
   * it took to stop a run that had to stop.
   */
  readonly duration: number;
  /** How much later than due it began. */
  readonly lateness: number;
  /** The worker of the last attempt. */
  readonly worker: string | undefined;
}
