import { formatDuration } from "../base/format_duration.ts";
import { report } from "../base/report.ts";
import { describeWorkerEvent } from "../pool/describe_worker_event.ts";
import type { WorkerEvent } from "../pool/events.ts";
import type { ControllerEvent, ReconcileOutcome } from "./controller_events.ts";

const PROBLEMS = new Set<ReconcileOutcome>(["failed", "terminal", "timed-out", "crashed"]);

/** What a controller without a sink does: a line on stderr for each problem. */
export function logControllerProblems(event: ControllerEvent): void {
  switch (event.type) {
    case "reconcile-ended": {
      const { key, outcome, error, attempt } = event.run;
      if (!PROBLEMS.has(outcome)) return;
      return report(`${event.controller}: ${key} ${outcome}, attempt ${attempt}`, error);
    }
    case "reconcile-slow":
      return report(
        `${event.controller}: ${event.key} has been running for ${
          formatDuration(event.runningFor)
        }`,
      );
    case "reconcile-stale":
      return report(
        `${event.controller}: ${event.key} would have read what is stale for ${
          formatDuration(event.staleFor)
        }: does whoever reads still go on?`,
      );
    case "reconcile-log":
      if (event.level !== "warn" && event.level !== "error") return;
      return report(
        `${event.controller}: ${event.key} ${event.level}: ${event.message}`,
        event.data,
      );
    case "reconcile-hot-loop":
      return report(
        `${event.controller}: ${event.key} was reconciled ${event.runs} times within ` +
          `${
            formatDuration(event.within)
          }; in ${event.selfTriggered} of them it was added while it ran: ` +
          `does it react to its own changes?`,
      );
    case "source-failed":
      return report(
        `${event.controller}: source ${event.source} failed, again in ` +
          formatDuration(event.retryIn),
        event.error,
      );
    default: {
      if (!event.type.startsWith("worker-")) return;
      const line = describeWorkerEvent(event as WorkerEvent);
      if (line !== undefined) report(line);
    }
  }
}
