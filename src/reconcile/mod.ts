/**
 * Loops that bring what is to what should be: a queue of keys that need work, and what stands around
 * it.
 *
 * @module
 */

export { type BackoffSteps, backoffSteps, type BackoffStepsOptions } from "./backoff_steps.ts";
export { Controller } from "./controller.ts";
export type { ControllerEvent, ReconcileOutcome, ReconcileRun } from "./controller_events.ts";
export type {
  CloseControllerOptions,
  ControllerOptions,
  HotLoopOptions,
} from "./controller_options.ts";
export type { ControllerSource } from "./controller_source.ts";
export type { DurationSummary } from "../base/durations.ts";
export type { ControllerStats, KeyStatus, RunningKey } from "./controller_status.ts";
export { exponentialLimiter, type ExponentialLimiterOptions } from "./exponential_limiter.ts";
export { fastSlowLimiter, type FastSlowLimiterOptions } from "./fast_slow_limiter.ts";
export { type Change, fromChanges, type FromChangesOptions } from "./from_changes.ts";
export { fromFiles, type FromFilesOptions } from "./from_files.ts";
export { fromInterval, type FromIntervalOptions } from "./from_interval.ts";
export {
  type EventKeys,
  fromWatch,
  type FromWatchOptions,
  type Watched,
  type WatchInput,
} from "./from_watch.ts";
export { maxOfLimiter } from "./max_of_limiter.ts";
export { maxWaitLimiter } from "./max_wait_limiter.ts";
export { type NotYet, poll, type PollOptions } from "./poll.ts";
export { pollBackoff, type PollBackoffOptions } from "./poll_backoff.ts";
export type { RateLimiter } from "./rate_limiter.ts";
export type { ReconcileModule, ReconcileResult } from "./reconcile_module.ts";
export { reconcileState } from "./reconcile_state.ts";
export type { Reconciler } from "./reconciler.ts";
export type { Keys, Source, SourceSink } from "./source.ts";
export { StaleReads } from "./stale_reads.ts";
export type { StateEvent, StateOperation, StateOutcome } from "./state_events.ts";
export type { ReconcileStateOptions, StateContext, StateEntries } from "./state_options.ts";
export type { StateReconciler } from "./state_reconciler.ts";
export { TerminalError } from "./terminal_error.ts";
export { tokenBucketLimiter, type TokenBucketLimiterOptions } from "./token_bucket_limiter.ts";
export { UncertainError } from "./uncertain_error.ts";
export { until, type UntilOptions } from "./until.ts";
export type { WorkItem } from "./work_item.ts";
export { type StopMode, type WorkLeft, WorkLeftError } from "./work_left.ts";
export { WorkQueue } from "./work_queue.ts";
export type { AddOptions, StopQueueOptions, WorkQueueOptions } from "./work_queue_options.ts";
export type {
  DelayedWork,
  QueuedWork,
  WorkInHand,
  WorkQueueCounters,
  WorkQueueSnapshot,
  WorkStatus,
} from "./work_queue_snapshot.ts";
