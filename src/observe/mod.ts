/**
 * What tells the outside how tasks, controllers and workers are.
 *
 * @example
 * ```ts
 * import { Scheduler } from "@leash/leash";
 * import { metricsText } from "@leash/leash/observe";
 *
 * const owner = new AbortController();
 * await using scheduler = new Scheduler({ signal: owner.signal });
 * console.log(metricsText(scheduler));
 * ```
 *
 * @module
 */

export { metricsText } from "./metrics.ts";
export type {
  MeasuredController,
  MeasuredPool,
  MeasuredScheduler,
  MeasuredTask,
  MetricsSource,
} from "./measured.ts";
export type { DurationSummary } from "../base/durations.ts";
export type { ControllerStats, RunningKey } from "../reconcile/controller_status.ts";
export type { WorkQueueCounters } from "../reconcile/work_queue_snapshot.ts";
export type { RunOutcome } from "../scheduler/run_result.ts";
export type { TaskStats } from "../scheduler/task_stats.ts";
export type { WorkerState } from "../pool/worker_handle_options.ts";
export type { WorkerSnapshot } from "../pool/run_pool.ts";
