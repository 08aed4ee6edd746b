/**
 * What tells the outside how tasks and workers are.
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

export {
  type MeasuredPool,
  type MeasuredTask,
  type MetricsSource,
  metricsText,
} from "./metrics.ts";
export type { RunOutcome } from "../scheduler/run_result.ts";
export type { TaskStats } from "../scheduler/task_stats.ts";
export type { WorkerState } from "../pool/worker_handle_options.ts";
export type { WorkerSnapshot } from "../pool/run_pool.ts";
