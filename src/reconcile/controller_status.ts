import type { DurationSummary } from "../base/durations.ts";
import type { WorkQueueCounters } from "./work_queue_snapshot.ts";

/** How a key is at one moment. */
export interface KeyStatus {
  /** Whether it waits for its turn, and could be reconciled now. */
  readonly queued: boolean;
  /** Since when it is being reconciled, in milliseconds since the epoch. */
  readonly runningSince: number | undefined;
  /** How often it has failed since it last succeeded, was given up with a `TerminalError`, or cancelled. */
  readonly failures: number;
  /** When it will be reconciled again by itself, in milliseconds since the epoch. */
  readonly next: number | undefined;
}

/** A key that is being reconciled. */
export interface RunningKey {
  /** The key. */
  readonly key: string;
  /** What the module sees as `ctx.runId`. */
  readonly runId: string;
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
  /** For how long, in milliseconds. */
  readonly runningFor: number;
  /** Whether that is longer than `slowAfter`. */
  readonly slow: boolean;
}

/** What has happened so far. Each counter begins at 0 and only grows. */
export interface ControllerStats {
  /** Runs that returned nothing. */
  readonly succeeded: number;
  /** Runs that returned `requeueAfter`. */
  readonly requeueAfter: number;
  /** Runs that returned `pollBackoff`. */
  readonly pollBackoff: number;
  /** Runs that threw something other than a `TerminalError`. */
  readonly failed: number;
  /** Runs that threw a `TerminalError`. */
  readonly terminal: number;
  /** Runs that took longer than their timeout. */
  readonly timedOut: number;
  /** Runs whose worker ended under them. */
  readonly crashed: number;
  /** Runs that `cancel()` was called for. */
  readonly cancelled: number;
  /** Runs that the stop of the controller aborted. */
  readonly aborted: number;
  /** Runs whose worker could not be ended. They are counted above as well. */
  readonly stuck: number;
  /** Times that a key was put off because what it would read was stale. */
  readonly staleReads: number;
  /** Times that a source threw. */
  readonly sourceFailures: number;
  /** How long keys waited after they could have been reconciled. `undefined` before the first. */
  readonly waited: DurationSummary | undefined;
  /** How long runs took. `undefined` before the first has ended. */
  readonly duration: DurationSummary | undefined;
  /** What happened to the queue. */
  readonly queue: WorkQueueCounters;
}
