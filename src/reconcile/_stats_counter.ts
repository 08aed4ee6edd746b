import type { ReconcileOutcome, ReconcileRun } from "./controller_events.ts";
import type { ControllerStats } from "./controller_status.ts";

type Counters = { -readonly [Name in keyof ControllerStats]: number };

const NAMES: Record<ReconcileOutcome, keyof ControllerStats> = {
  "succeeded": "succeeded",
  "requeue-after": "requeueAfter",
  "poll-backoff": "pollBackoff",
  "failed": "failed",
  "terminal": "terminal",
  "timed-out": "timedOut",
  "crashed": "crashed",
  "cancelled": "cancelled",
  "aborted": "aborted",
};

/** Counts what happens to a controller. */
export class StatsCounter {
  staleReads = 0;
  sourceFailures = 0;
  readonly #counters: Counters = {
    succeeded: 0,
    requeueAfter: 0,
    pollBackoff: 0,
    failed: 0,
    terminal: 0,
    timedOut: 0,
    crashed: 0,
    cancelled: 0,
    aborted: 0,
    stuck: 0,
    staleReads: 0,
    sourceFailures: 0,
  };

  /** A run has ended. */
  count({ outcome, ending }: ReconcileRun): void {
    this.#counters[NAMES[outcome]]++;
    if (ending === "stuck") this.#counters.stuck++;
  }

  /** A copy. */
  snapshot(): ControllerStats {
    const { staleReads, sourceFailures } = this;
    return { ...this.#counters, staleReads, sourceFailures };
  }
}
