import { pathToFileURL } from "node:url";
import { ClosedError } from "../base/errors.ts";
import { plainText } from "../base/plain_text.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import type { TaskDefinition } from "../scheduler/task_definition.ts";
import { UsageError } from "./_usage.ts";

const EXPECTED = `expected tasks, as in export default [task(new URL("./sweep.ts", ` +
  `import.meta.url), { schedule: every({ hours: 1 }) })], with task and every from @leash/leash`;

/**
 * Imports a module and finds the tasks that it exports: an export that is a task, or an array of
 * tasks. Anything else that it exports is left alone.
 *
 * @param file A path, or a URL.
 * @returns The tasks, each once, in the order of the exports.
 * @throws {UsageError} When there is no such module, it cannot be loaded, or there is no task in it.
 */
export async function loadTasks(file: string): Promise<TaskDefinition[]> {
  let module: Record<string, unknown>;
  try {
    module = await import(moduleUrl(file));
  } catch (error) {
    throw new UsageError(`Cannot load the tasks of ${file}: ${explain(error)}`, { cause: error });
  }
  const tasks = new Set<TaskDefinition>();
  for (const [name, value] of Object.entries(module)) {
    const many = Array.isArray(value) && (name === "default" || value.some(isTask));
    for (const [index, item] of (many ? value : [value]).entries()) {
      if (isTask(item)) tasks.add(item);
      else if (many) {
        throw new UsageError(
          `Cannot use the tasks of ${file}: ${EXPECTED}: received ${
            short(item)
          } as item ${index} ` +
            `of its export ${name}`,
        );
      }
    }
  }
  if (tasks.size > 0) return [...tasks];
  const names = Object.keys(module);
  throw new UsageError(
    `Cannot find a task in ${file}: ${EXPECTED}: received ` +
      (names.length === 0 ? "a module that exports nothing" : `only ${names.join(", ")}`),
  );
}

/**
 * Adds tasks to a scheduler.
 *
 * @throws {UsageError} When the options of a task are wrong, or two have the same name.
 */
export function addTasks(scheduler: Scheduler, tasks: readonly TaskDefinition[]): void {
  for (const { module, options } of tasks) {
    try {
      scheduler.add(module, options);
    } catch (error) {
      if (error instanceof ClosedError) throw error;
      throw new UsageError((error as Error).message, { cause: error });
    }
  }
}

/** Checks the options of tasks without running any. Returns the names that they get. */
export async function checkTasks(tasks: readonly TaskDefinition[]): Promise<string[]> {
  const owner = new AbortController();
  await using scheduler = new Scheduler({ signal: owner.signal, onEvent: () => {} });
  const paused = tasks.map(({ module, options }) => ({
    module,
    options: { ...options, paused: true },
  }));
  addTasks(scheduler, paused);
  return scheduler.tasks.map(({ name }) => name);
}

function isTask(value: unknown): value is TaskDefinition {
  // By its shape: the module may use another copy of Leash than this one.
  const { module, options } = (value ?? {}) as Partial<TaskDefinition>;
  return typeof module === "string" && typeof options === "object" && options !== null &&
    typeof options.schedule?.next === "function";
}

function moduleUrl(file: string): string {
  // A protocol of one letter is a drive of Windows.
  if (/^[a-z][a-z0-9+.-]+:/i.test(file)) return file;
  return pathToFileURL(file).href;
}

/** The message, and where it happened when the module threw. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${Deno.inspect(error)}`;
  const at = /\n\s+at (.*)/.exec(error.stack ?? "")?.[1];
  // What Deno itself says of a module is thrown from the import above, and says where.
  const byDeno = at === undefined || at.includes(import.meta.url);
  return plainText(byDeno ? error.message : `${error.name}: ${error.message} (at ${at})`);
}

function short(value: unknown): string {
  return Deno.inspect(value, { depth: 1, breakLength: Infinity, strAbbreviateSize: 60 });
}
