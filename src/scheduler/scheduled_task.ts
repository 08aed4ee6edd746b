import type { Duration } from "../base/duration.ts";
import type { WorkerSnapshot } from "../pool/run_pool.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { RunResult } from "./run_result.ts";
import type { TaskStats } from "./task_stats.ts";

/**
 * What a task is doing. `"waiting"`: for its next due time. `"finished"`: there is no next due time.
 * `"given-up"`: a continuous task that failed too often.
 */
export type TaskState =
  | "waiting"
  | "running"
  | "paused"
  | "finished"
  | "given-up"
  | "stopping"
  | "stopped";

/** A run that has not ended. */
export interface ActiveRunInfo {
  /** Unique in this process. */
  readonly runId: string;
  /** When the task began, in milliseconds since the epoch; `undefined` while it waits for a worker. */
  readonly startedAt: number | undefined;
  /** What the task said last of how far it is. */
  readonly progress: { readonly done: number; readonly total: number | undefined } | undefined;
}

/** A task of a scheduler, as `scheduler.add()` returns it. */
export interface ScheduledTask<Input = unknown, Output = unknown> {
  /** Unique in the scheduler. */
  readonly name: string;
  /** The URL of the task module. */
  readonly module: string;
  /** When it is due. */
  readonly schedule: Schedule;
  /** What it is doing now. */
  readonly state: TaskState;
  /** When it is due next, in milliseconds since the epoch; `undefined` when it is not. */
  readonly nextDue: number | undefined;
  /** What is known of its runs so far. */
  readonly stats: TaskStats;
  /** The runs that have not ended. */
  readonly active: readonly ActiveRunInfo[];
  /** Its workers that live, stuck ones included. */
  readonly workers: readonly WorkerSnapshot[];
  /**
   * Runs it now, whatever its schedule, also when it is paused. The overlap policy holds.
   *
   * @param input In place of the input that the task was added with.
   * @returns The result of the run. It rejects only when the run cannot be asked for.
   * @throws {ClosedError} When the task has begun to stop.
   * @throws {TypeError} When the input cannot be sent to a worker.
   */
  trigger(input?: Input): Promise<RunResult<Output>>;
  /** No further scheduled runs until `resume()`. A run that goes on is left alone. */
  pause(): void;
  /** Goes on after `pause()`, or after it was given up. Due times in between are not made up for. */
  resume(): void;
  /**
   * Aborts the runs that have not ended; the schedule goes on.
   *
   * @param reason What the task sees as `ctx.signal.reason`. Default: an `AbortError`.
   * @returns Resolves when those runs have ended.
   */
  cancel(reason?: unknown): Promise<void>;
  /**
   * Stops the task and takes it out of the scheduler. Others are not touched.
   *
   * @param options `gracePeriod`: for a run that goes on. Default: the task's.
   * @returns Resolves when its workers are gone.
   * @throws {StuckWorkerError} When a worker lives on.
   */
  remove(options?: { gracePeriod?: Duration }): Promise<void>;
  /**
   * The results of runs from now on, skipped ones included. Any number of loops may read; each gets
   * every result. The loop ends when the task is stopped. A loop that falls 1,000 results behind
   * loses the oldest, and a `results-dropped` event says so.
   */
  runs(): AsyncIterableIterator<RunResult<Output>>;
}
