/**
 * Tasks, and the scheduler that runs them when they are due.
 *
 * @module
 */

export { describeEvent, logEvents } from "./console_sink.ts";
export type { SchedulerEvent, SchedulerLifeEvent, TaskEvent } from "./events.ts";
export type { OwnedService } from "./owned_service.ts";
export type { RunOutcome, RunResult } from "./run_result.ts";
export type { ActiveRunInfo, ScheduledTask, TaskState } from "./scheduled_task.ts";
export { Scheduler, type SchedulerOptions } from "./scheduler.ts";
export { shutdownSignal, type ShutdownSignalOptions } from "./shutdown_signal.ts";
export { task, type TaskDefinition } from "./task_definition.ts";
export type {
  BaseTaskOptions,
  OverlapPolicy,
  RestartOptions,
  RetryOptions,
  TaskOptions,
} from "./task_options.ts";
export type { DurationSummary } from "../base/durations.ts";
export type { TaskStats } from "./task_stats.ts";
