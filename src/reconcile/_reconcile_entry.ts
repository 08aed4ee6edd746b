/**
 * Runs in the worker, between Leash's runtime and the user's module: nothing reconciles before `start` of
 * that module has succeeded in this worker.
 *
 * @module
 */

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
  if (start === undefined) return reconcile as Reconcile;
  if (typeof start !== "function") throw wrongExport("a function as start", module);

  let isStarted = false;
  let starting: Promise<void> | undefined;
  const begin = async (ctx: TaskContext): Promise<void> => {
    await start(ctx);
    isStarted = true;
  };
  return (key, ctx) => {
    if (isStarted) return reconcile(key, ctx);
    // When it has failed, the next run begins it anew.
    starting ??= begin(ctx).finally(() => starting = undefined);
    return starting.then(() => reconcile(key, ctx));
  };
}

function wrongExport(expected: string, module: Record<string, unknown>): TypeError {
  const exported = Object.entries(module).map(([name, value]) => `${name}: ${typeof value}`);
  return new TypeError(
    `expected ${expected}, received ${exported.length === 0 ? "nothing" : exported.join(", ")}`,
  );
}
