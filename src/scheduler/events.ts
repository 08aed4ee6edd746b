import type { StuckWorker } from "../base/errors.ts";
import type { WorkerEvent } from "../pool/events.ts";
import type { LogLevel } from "../protocol/messages.ts";
import type { RunOutcome, RunResult } from "./run_result.ts";

/** What happens to a task. */
export type TaskEvent =
  & {
    /** When, in milliseconds since the epoch. */
    readonly at: number;
    /** The name of the task. */
    readonly task: string;
  }
  & (
    | { readonly type: "task-added" }
    | { readonly type: "task-paused" }
    | { readonly type: "task-resumed" }
    | { readonly type: "task-removed" }
    /** The schedule has no further due time. */
    | { readonly type: "task-finished" }
    /** A continuous task failed too often: it is not started again until it is resumed. */
    | { readonly type: "task-given-up"; readonly restarts: number; readonly error: unknown }
    /** Due times that passed unused, because the process was blocked, asleep or its clock jumped. */
    | { readonly type: "runs-missed"; readonly count: number }
    /** A consumer of `runs()` is too slow: the oldest results that it had not read are gone. */
    | { readonly type: "results-dropped"; readonly count: number }
    | {
      readonly type: "run-started";
      readonly runId: string;
      readonly attempt: number;
      readonly worker: string;
    }
    /** The run began more than a second after it was due. */
    | { readonly type: "run-late"; readonly runId: string; readonly lateness: number }
    | {
      readonly type: "run-progress";
      readonly runId: string;
      readonly done: number;
      readonly total: number | undefined;
    }
    | {
      readonly type: "run-log";
      readonly runId: string;
      readonly level: LogLevel;
      readonly message: string;
      readonly data: unknown;
    }
    /** An attempt did not succeed and there will be another, `retryIn` milliseconds from now. */
    | {
      readonly type: "attempt-failed";
      readonly runId: string;
      readonly attempt: number;
      readonly outcome: RunOutcome;
      readonly error: unknown;
      readonly retryIn: number;
    }
    | { readonly type: "run-ended"; readonly result: RunResult }
  );

type WithoutBase<Event> = Event extends TaskEvent ? Omit<Event, "at" | "task"> : never;

/** A task's event without what is the same in all of them. */
export type TaskEventBody = WithoutBase<TaskEvent>;

/** What happens to the scheduler as a whole. */
export type SchedulerLifeEvent =
  & {
    /** When, in milliseconds since the epoch. */
    readonly at: number;
  }
  & (
    /** The wall clock was set `by` milliseconds forward, or back when negative. */
    | { readonly type: "clock-jumped"; readonly by: number }
    | { readonly type: "scheduler-stopping"; readonly reason: unknown }
    | { readonly type: "scheduler-stopped"; readonly stuck: readonly StuckWorker[] }
  );

/** Everything that an `onEvent` sink can receive. `type` tells which one it is. */
export type SchedulerEvent = TaskEvent | WorkerEvent | SchedulerLifeEvent;
