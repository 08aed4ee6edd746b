import type { TaskContext } from "../worker/context.ts";
import type { TaskInput, TaskModule, TaskOutput } from "../worker/task_module.ts";
import {
  createTestContext,
  type TestContextOptions,
  type TestTaskContext,
} from "./test_context.ts";
import type { RecordedLog, RecordedProgress } from "./test_context.ts";

/** What became of a task that was run in a test. */
export interface TestRun<Value> {
  /** What the task returned: a copy, as a worker would have sent it. */
  readonly value: Value;
  /** All calls of `ctx.progress()`. */
  readonly progress: readonly RecordedProgress[];
  /** All log records. */
  readonly logs: readonly RecordedLog[];
  /** How often `ctx.checkpoint()` was called: a task whose loops do not call it cannot be stopped. */
  readonly checkpoints: number;
}

/**
 * Runs a task in this thread, as a unit test does: no worker, no schedule, no retries. Input and value
 * are copied as on the way to a worker and back, so that what cannot be sent shows here.
 *
 * @param task The function; the module, from `await import()`; or the URL of the module, then with its
 * type: `runTask<typeof import("./sweep.ts")>(new URL("./sweep.ts", import.meta.url), input)`.
 * @param input The input.
 * @param context What the task is to find in its context; or a context from
 * {@linkcode createTestContext}, for tests that abort the run or expect it to fail.
 * @returns Rejects with what the task throws, as it is.
 *
 * @example
 * ```ts
 * import type { TaskContext } from "@leash/leash";
 * import { runTask } from "@leash/leash/testing";
 * import { assertEquals } from "@std/assert";
 *
 * function greet(input: { name: string }, ctx: TaskContext): string {
 *   ctx.log.info("greeting", input);
 *   return `hello ${input.name}, for the ${ctx.attempt}. time`;
 * }
 *
 * const run = await runTask(greet, { name: "world" }, { attempt: 2 });
 * assertEquals(run.value, "hello world, for the 2. time");
 * assertEquals(run.logs, [{ level: "info", message: "greeting", data: { name: "world" } }]);
 * ```
 */
export function runTask<Input, Output>(
  task: (input: Input, ctx: TaskContext) => Output,
  input: NoInfer<Input>,
  context?: TestContextOptions | TestTaskContext,
): Promise<TestRun<Awaited<Output>>>;
/** Runs the task of a module. */
export function runTask<Module extends TaskModule>(
  module: Module | URL | string,
  input: TaskInput<Module>,
  context?: TestContextOptions | TestTaskContext,
): Promise<TestRun<TaskOutput<Module>>>;
export async function runTask(
  task: TaskModule["default"] | TaskModule | URL | string,
  input: unknown,
  context: TestContextOptions | TestTaskContext = {},
): Promise<TestRun<unknown>> {
  const run = await load(task);
  const ctx = "checkpoint" in context ? context : createTestContext(context);
  const value = await run(structuredClone(input) as never, ctx);
  return {
    value: structuredClone(value),
    progress: ctx.progressed,
    logs: ctx.logged,
    checkpoints: ctx.checkpoints,
  };
}

async function load(
  task: TaskModule["default"] | TaskModule | URL | string,
): Promise<TaskModule["default"]> {
  if (typeof task === "function") return task;
  const module: Partial<TaskModule> = typeof task === "string" || task instanceof URL
    ? await import(String(task))
    : task;
  if (typeof module.default === "function") return module.default;
  throw new TypeError(
    `Cannot run the task: expected a function as the default export of its module: received ${
      Deno.inspect(module.default)
    }`,
  );
}
