/**
 * Runs in the worker, between Leash's runtime and the user's module: nothing reconciles before `start` of
 * that module has succeeded in this worker.
 *
 * @module
 */

import { toMilliseconds } from "../base/duration.ts";
import { isThenable } from "../base/is_thenable.ts";
import type { TaskContext } from "../worker/context.ts";

type Reconcile = (key: string, ctx: TaskContext) => unknown;

/**
 * @param module The user's module.
 * @returns What takes the place of its default export.
 * @throws {TypeError} When it is no reconcile module.
 */
export function reconcileWith(module: Record<string, unknown>): Reconcile {
  const { default: reconcile, start } = module;
  if (typeof reconcile !== "function") {
    throw wrongExport("a function as its default export", module);
  }
  const run: Reconcile = (key, ctx) => {
    const result = reconcile(key, ctx);
    return isThenable(result) ? Promise.resolve(result).then(sendable) : sendable(result);
  };
  if (start === undefined) return run;
  if (typeof start !== "function") throw wrongExport("a function as start", module);

  let isStarted = false;
  let starting: Promise<void> | undefined;
  const begin = async (ctx: TaskContext): Promise<void> => {
    await start(ctx);
    isStarted = true;
  };
  return (key, ctx) => {
    if (isStarted) return run(key, ctx);
    // When it has failed, the next run begins it anew.
    starting ??= begin(ctx).finally(() => starting = undefined);
    return starting.then(() => run(key, ctx));
  };
}

/** A `Temporal.Duration` cannot be sent to another thread. */
function sendable(result: unknown): unknown {
  if (typeof result !== "object" || result === null || !("requeueAfter" in result)) return result;
  const { requeueAfter } = result;
  if (!(requeueAfter instanceof Temporal.Duration)) return result;
  return { ...result, requeueAfter: toMilliseconds(requeueAfter, "requeueAfter") };
}

function wrongExport(expected: string, module: Record<string, unknown>): TypeError {
  const exported = Object.entries(module).map(([name, value]) => `${name}: ${typeof value}`);
  return new TypeError(
    `expected ${expected}, received ${exported.length === 0 ? "nothing" : exported.join(", ")}`,
  );
}
