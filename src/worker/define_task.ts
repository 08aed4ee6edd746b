import type { TaskContext } from "./context.ts";

/**
 * Gives the parameters of a task their types without writing them out. It returns the function as
 * it is; a plain exported function does the same job.
 *
 * @param run The function that is called once for every run.
 * @returns The same function.
 *
 * @example
 * ```ts
 * import { defineTask } from "@leash/leash/worker";
 *
 * export default defineTask((input: { city: string }, ctx) => {
 *   ctx.log.info("greeting", input);
 *   return `hello ${input.city}`;
 * });
 * ```
 */
export function defineTask<Input, Output>(
  run: (input: Input, ctx: TaskContext) => Output,
): (input: Input, ctx: TaskContext) => Output {
  return run;
}
