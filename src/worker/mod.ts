/**
 * Types for task modules, and {@linkcode defineTask} for editors. A task needs nothing else of
 * Leash: everything that it may use is handed to it in the {@linkcode TaskContext}.
 *
 * @example
 * ```ts
 * import type { TaskContext } from "@leash/leash/worker";
 *
 * export default async function ping(url: string, ctx: TaskContext): Promise<number> {
 *   const response = await fetch(url, { signal: ctx.signal });
 *   await response.body?.cancel();
 *   return response.status;
 * }
 * ```
 *
 * @module
 */

export type { TaskContext, TaskLog } from "./context.ts";
export type { TaskInput, TaskModule, TaskOutput, UntypedTaskModule } from "./task_module.ts";
export { defineTask } from "./define_task.ts";
