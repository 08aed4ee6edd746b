import { formatDuration } from "../base/format_duration.ts";
import { describeWorkerEvent } from "../pool/describe_worker_event.ts";
import type { WorkerEvent } from "../pool/events.ts";
import type { SchedulerEvent } from "./events.ts";
import { FAILURES, type RunResult } from "./run_result.ts";

/**
 * An event as one line for people, or `undefined` for those that are only worth a line when one
 * looks for something: progress, begins, idle workers.
 *
 * @param event The event.
 * @returns The line, without the time.
 */
export function describeEvent(event: SchedulerEvent): string | undefined {
  switch (event.type) {
    case "run-ended":
      return describeResult(event.result);
    case "attempt-failed":
      return `${event.task} ${event.outcome}, attempt ${event.attempt}: ` +
        `${message(event.error)}; again in ${formatDuration(event.retryIn)}`;
    case "task-given-up":
      return `${event.task} is given up after ${event.restarts} restarts: ${message(event.error)}`;
    case "runs-missed":
      return `${event.task} missed ${event.count} ${event.count === 1 ? "run" : "runs"}`;
    case "run-late":
      return `${event.task} began ${formatDuration(event.lateness)} late`;
    case "run-log":
      return `${event.task} ${event.level}: ${event.message}` +
        (event.data === undefined ? "" : ` ${Deno.inspect(event.data, { breakLength: Infinity })}`);
    case "results-dropped":
      return `${event.task}: a reader of runs() is too slow, its oldest result is dropped`;
    case "clock-jumped":
      return `the clock was set ${event.by > 0 ? "forward" : "back"} by ` +
        formatDuration(Math.abs(event.by));
    default:
      return event.type.startsWith("worker-")
        ? describeWorkerEvent(event as WorkerEvent)
        : undefined;
  }
}

/** Types of events that say that something is wrong, whatever they carry. */
const PROBLEMS = new Set<SchedulerEvent["type"]>([
  "attempt-failed",
  "task-given-up",
  "runs-missed",
  "results-dropped",
  "worker-crashed",
  "worker-hung",
  "worker-stuck",
  "worker-foreign-message",
  // No problem, but a task's console shows in the other isolations too.
  "worker-output",
  "clock-jumped",
]);

/**
 * An `onEvent` sink that writes one readable line for each run, log record and problem to stderr.
 *
 * @example
 * ```ts
 * import { logEvents, Scheduler } from "@leash/leash";
 *
 * const owner = new AbortController();
 * await using scheduler = new Scheduler({ signal: owner.signal, onEvent: logEvents });
 * ```
 */
export function logEvents(event: SchedulerEvent): void {
  const line = describeEvent(event);
  if (line !== undefined) console.error(`${new Date(event.at).toISOString()} ${line}`);
}

/** What a scheduler without a sink does: only problems are worth a line that nobody asked for. */
export function logProblems(event: SchedulerEvent): void {
  const wrong = event.type === "run-ended"
    ? FAILURES.has(event.result.outcome)
    : event.type === "run-log"
    ? event.level === "warn" || event.level === "error"
    : PROBLEMS.has(event.type);
  if (wrong) logEvents(event);
}

function describeResult(result: RunResult): string {
  const { task, outcome, duration } = result;
  switch (outcome) {
    case "succeeded": {
      const value = result.value === undefined
        ? ""
        : `: ${Deno.inspect(result.value, { breakLength: Infinity, compact: true })}`;
      return `${task} succeeded in ${formatDuration(duration)}${value}`;
    }
    case "failed":
    case "crashed":
    case "timed-out":
      return `${task} ${outcome} after ${formatDuration(duration)}: ${message(result.error)}` +
        (result.ending === "stuck" ? " (its worker is stuck)" : "");
    case "skipped":
      return `${task} skipped: the run before it has not ended`;
    default:
      return `${task} ${outcome} after ${formatDuration(duration)}: ${message(result.reason)}`;
  }
}

function message(error: unknown): string {
  if (!(error instanceof Error)) return Deno.inspect(error);
  return `${error.name}: ${error.message}`;
}
