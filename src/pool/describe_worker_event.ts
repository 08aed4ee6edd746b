import { formatDuration } from "../base/format_duration.ts";
import type { WorkerEvent } from "./events.ts";

/**
 * An event of a worker as one line for people, or `undefined` for those that are not worth one.
 *
 * @param event The event.
 * @returns The line, without the time.
 */
export function describeWorkerEvent(event: WorkerEvent): string | undefined {
  switch (event.type) {
    case "worker-crashed":
      // A run that was in it says the same.
      return event.running ? undefined : `worker ${event.worker} crashed: ${event.error.message}`;
    case "worker-hung":
      return `worker ${event.worker} hangs: no sign of life for ${formatDuration(event.silentFor)}`;
    case "worker-stuck":
      return `worker ${event.worker} is stuck: it was terminated and still runs after ` +
        `${formatDuration(event.waited)}`;
    case "worker-exited":
      if (event.end !== "killed" || event.busy === undefined) return undefined;
      return `worker ${event.worker} was killed: told to stop, it used ` +
        `${Math.round(event.busy * 100)} % of a processor`;
    case "worker-output":
      return `${event.worker} ${event.stream}: ${event.text}`;
    case "worker-foreign-message":
      return `worker ${event.worker} posted a message by itself, which nobody receives`;
    default:
      return undefined;
  }
}
