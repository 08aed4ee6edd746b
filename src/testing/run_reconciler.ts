import { track } from "../base/live.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { testPath } from "./_test_path.ts";
import { testOwner, type TestOwnerOptions } from "./test_owner.ts";

/** A reconciler that runs in a test. */
export interface TestReconciler extends AsyncDisposable {
  /** What the reconciler was given: aborted at the end of the test or step. */
  readonly signal: AbortSignal;
  /** Settles as its `run()` does. Never an unhandled rejection. */
  readonly finished: Promise<void>;
  /**
   * Aborts the signal, and waits until the reconciler has ended.
   *
   * @throws {LeakError} When it has not ended by the deadline.
   * @throws What its `run()` rejects with.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Runs a reconciler for as long as a test or a step takes: it is started under an owner of its own,
 * and stopped and awaited at the end, so it cannot go on beside the tests that come next. When its
 * result is not disposed of, a {@linkcode leakGuard} names the test or step, and the line.
 *
 * @param t The context of the test or step that it is for; in a step that of the step, so that the
 * steps beside it are left alone.
 * @param reconciler What to run.
 * @param options How to end.
 * @returns To be disposed of with `await using`.
 *
 * @example
 * ```ts
 * import { reconcileState } from "@leash/leash/reconcile";
 * import { eventually, leakGuard, runReconciler } from "@leash/leash/testing";
 *
 * Deno.test("makes what is desired", async (t) => {
 *   await using _guard = leakGuard(t);
 *   const made = new Set<string>();
 *   await using _running = runReconciler(t, reconcileState({
 *     desired: () => [["a", 1]],
 *     actual: () => [],
 *     matches: () => true,
 *     apply: (key, wanted) => {
 *       made.add(key);
 *       return wanted;
 *     },
 *     remove: (key) => void made.delete(key),
 *   }));
 *   await eventually(() => made.has("a"));
 * });
 * ```
 */
export function runReconciler(
  t: Deno.TestContext,
  reconciler: Reconciler,
  options: TestOwnerOptions = {},
): TestReconciler {
  const owner = testOwner(t, options);
  const { signal } = owner;
  const finished = run(reconciler, signal);
  finished.catch(() => {});
  const entry = track({
    kind: "reconciler",
    name: `of test "${testPath(t)}"`,
    state: () => signal.aborted ? "stopping" : "running",
    signal,
    finished,
  });
  const forget = (): void => entry[Symbol.dispose]();
  finished.then(forget, forget);
  return {
    signal,
    finished,
    async [Symbol.asyncDispose]() {
      await owner[Symbol.asyncDispose]();
      // It may have failed long ago, when nobody listened.
      await finished;
    },
  };
}

/** What is wrong with the call is a rejection as well. */
async function run(reconciler: Reconciler, signal: AbortSignal): Promise<void> {
  await reconciler.run(signal);
}
