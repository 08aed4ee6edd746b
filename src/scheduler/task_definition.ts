import type { TaskInput, TaskModule, UntypedTaskModule } from "../worker/task_module.ts";
import type { BaseTaskOptions, TaskOptions } from "./task_options.ts";

/** A task as a plain value: what {@linkcode Scheduler.add} is given, not yet given to anybody. */
export interface TaskDefinition<Input = unknown> {
  /** The URL of the module whose default export is the task. */
  readonly module: string;
  /** When and how it runs. */
  readonly options: BaseTaskOptions & {
    /** What each run gets as its first argument. */
    readonly input?: Input;
  };
}

/**
 * Describes a task without a scheduler. A module that exports what this returns can be run from the
 * command line: `deno run -A jsr:@leash/leash/cli run tasks.ts`.
 *
 * Nothing is checked before the task is added to a scheduler. The type parameter gives the input its
 * type: `task<typeof import("./sweep.ts")>(new URL("./sweep.ts", import.meta.url), …)`.
 *
 * @param module The URL of the module whose default export is the task.
 * @param options When and how it runs.
 * @returns The definition.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { every, Scheduler, task } from "@leash/leash";
 *
 * const answer = task("data:text/javascript,export default (x) => x * 2", {
 *   name: "answer",
 *   schedule: every({ minutes: 5 }),
 *   input: 21,
 * });
 *
 * const owner = new AbortController();
 * await using scheduler = new Scheduler({ signal: owner.signal });
 * const { value } = await scheduler.add(answer.module, answer.options).trigger();
 * assertEquals(value, 42);
 * ```
 */
export function task<Module extends TaskModule = UntypedTaskModule>(
  module: string | URL,
  options: TaskOptions<TaskInput<Module>>,
): TaskDefinition<TaskInput<Module>> {
  return { module: module instanceof URL ? module.href : module, options };
}
