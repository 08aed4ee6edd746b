import { Durations } from "../base/durations.ts";
import type { ReconcileOutcome, ReconcileRun } from "./controller_events.ts";
import type { ControllerStats } from "./controller_status.ts";
import type { WorkQueueCounters } from "./work_queue_snapshot.ts";

type Outcomes = Omit<
  ControllerStats,
  "waited" | "duration" | "queue" | "staleReads" | "sourceFailures"
>;
type Counters = { -readonly [Name in keyof Outcomes]: number };

const NAMES: Record<ReconcileOutcome, keyof Outcomes> = {
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
  readonly #waited = new Durations();
  readonly #durations = new Durations();
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
  };

  /** A run begins, for whose key there was no room for so long, in milliseconds. */
  begun(waited: number): void {
    this.#waited.add(waited);
  }

  /** A run has ended. */
  count({ outcome, ending, duration }: ReconcileRun): void {
    this.#durations.add(duration);
    this.#counters[NAMES[outcome]]++;
    if (ending === "stuck") this.#counters.stuck++;
  }

  /** The numbers as they are now. */
  snapshot(queue: WorkQueueCounters): ControllerStats {
    const { staleReads, sourceFailures } = this;
    return {
      ...this.#counters,
      staleReads,
      sourceFailures,
      waited: this.#waited.summary(),
      duration: this.#durations.summary(),
      queue,
    };
  }
}
