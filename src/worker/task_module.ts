/**
 * The shape of a task module, and the types that follow from it.
 *
 * @module
 */

import type { TaskContext } from "./context.ts";

/** A module that can be run as a task: its default export is called once for every run. */
export interface TaskModule {
  /** Called in the worker with the input of the run; what it returns is the value of the run. */
  default: (input: never, ctx: TaskContext) => unknown;
}

/** A task module of which no type was given: any input, and a result of no known type. */
export interface UntypedTaskModule {
  /** Called in the worker with the input of the run. */
  default: (input: unknown, ctx: TaskContext) => unknown;
}

/** The input type of a task module. */
export type TaskInput<M extends TaskModule> = Parameters<M["default"]> extends [] ? undefined
  : Parameters<M["default"]>[0];

/** What a run of a task module resolves to. */
export type TaskOutput<M extends TaskModule> = Awaited<ReturnType<M["default"]>>;
