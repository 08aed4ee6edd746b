/**
 * Leash runs background work that cannot leak. Each cache sweeper, reconciler or periodic task runs in
 * a worker that belongs to an `AbortSignal`: abort the signal, and every worker below it is gone
 * before `await` returns, or is named in the error.
 *
 * @example
 * ```ts
 * import { every, Scheduler } from "@leash/leash";
 *
 * const owner = new AbortController();
 * await using scheduler = new Scheduler({ signal: owner.signal });
 * const task = scheduler.add("data:text/javascript,export default () => 6 * 7", {
 *   name: "answer",
 *   schedule: every({ minutes: 5 }, { immediate: true }),
 *   timeout: { seconds: 30 },
 * });
 * for await (const result of task.runs()) {
 *   console.log(result.outcome, result.value);
 *   break;
 * }
 * ```
 *
 * @module
 */

export type { BackoffOptions } from "./src/base/backoff.ts";
export { type Clock, systemClock } from "./src/base/clock.ts";
export type { Duration, DurationUnits } from "./src/base/duration.ts";
export {
  ClosedError,
  QueueFullError,
  type StuckWorker,
  StuckWorkerError,
  TaskLoadError,
  WorkerCrashedError,
  WorkerOutOfMemoryError,
} from "./src/base/errors.ts";
export type { EventSink } from "./src/base/events.ts";
export type { TimeBase } from "./src/base/timer_queue.ts";
export type { LogLevel } from "./src/protocol/messages.ts";
export { canKillBusyWorker } from "./src/pool/can_kill_busy_worker.ts";
export type { WorkerEnd, WorkerEvent, WorkerEventBase } from "./src/pool/events.ts";
export type { Isolation } from "./src/pool/isolation.ts";
export { WorkerPool } from "./src/pool/worker_pool.ts";
export type {
  PoolMapOptions,
  PoolRunOptions,
  WorkerPoolOptions,
} from "./src/pool/worker_pool_options.ts";
export type { PoolCall, PoolInput, PoolOutput, PoolRunArguments } from "./src/pool/pool_module.ts";
export { type LiveWorker, liveWorkers } from "./src/pool/live_workers.ts";
export type { PermissionScope, WorkerPermissions } from "./src/pool/permissions.ts";
export type { AbortEnding } from "./src/pool/run.ts";
export type { WorkerState } from "./src/pool/worker_handle_options.ts";
export type { WorkerSnapshot } from "./src/pool/run_pool.ts";
export * from "./src/schedule/mod.ts";
export * from "./src/scheduler/mod.ts";
export type {
  TaskContext,
  TaskInput,
  TaskLog,
  TaskModule,
  TaskOutput,
  UntypedTaskModule,
} from "./src/worker/mod.ts";
