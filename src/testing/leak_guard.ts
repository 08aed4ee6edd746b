import type { Duration } from "../base/duration.ts";
import { Guard } from "./_guard.ts";
import { at, currentPlace } from "./_scope.ts";
import { Site } from "./_site.ts";
import { testPath } from "./_test_path.ts";
import { type Leak, LeakError } from "./leak_error.ts";

/** How a {@linkcode leakGuard} looks for leaks. */
export interface LeakGuardOptions {
  /**
   * How long what is on its way out may take, in real time. The guard waits only while something is
   * alive; up to 2 seconds longer only for a thread that was terminated, or seems to spin, on a machine
   * too busy to tell. Default: 250 milliseconds.
   */
  wait?: Duration;
  /** Return `true` for what is meant to live on. */
  ignore?: (leak: Leak) => boolean;
}

/** Watches what a test or a step makes. */
export interface LeakGuard extends AsyncDisposable {
  /** What is alive and would be a leak now. Waits as the end does, and does not fail. */
  leaks(): Promise<readonly Leak[]>;
  /**
   * Whatever is alive now may live on, with all that it makes later: for what a test shares with
   * others on purpose.
   */
  ignoreCurrent(): void;
  /**
   * Ends the guard.
   *
   * @throws {LeakError} When something is alive.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Fails the test or step when something that was made in it is still alive at its end: workers and
 * whatever else of Leash's holds workers or timers; workers made with `new Worker()`, also those of
 * `node:worker_threads`; child processes; `setTimeout` and `setInterval`. The error says what it is,
 * how it is, and which line made it.
 *
 * Put it first, so that everything else is disposed of before it looks. Each guard has its own books:
 * steps may run in parallel, and test files as well. Give it the context `t` so that it can name the
 * test, and so that a step without a guard is counted to its test, and not to a step beside it.
 *
 * `deno test` sees no leaked worker by itself, and its sanitizers for the rest are off unless asked for.
 *
 * What it cannot see: what workers make inside of themselves, processes of child processes, timers
 * imported from `node:timers`, and workers made through a class that extended `Worker`, or a variable
 * that held it, before the first guard. Whether a worker spins, and
 * whether one that was terminated does, it sees on Linux with all permissions, and for the workers of
 * Leash everywhere: they are `stuck`.
 *
 * @param t The context of the test or step.
 * @param options How to look.
 * @returns To be disposed of with `await using`. If the test fails as well, Deno shows neither message;
 * {@linkcode guarded} shows both.
 *
 * @example
 * ```ts
 * import { every, Scheduler } from "@leash/leash";
 * import { leakGuard } from "@leash/leash/testing";
 *
 * Deno.test("sweeps", async (t) => {
 *   await using _guard = leakGuard(t);
 *   await using scheduler = new Scheduler({ signal: new AbortController().signal });
 *   const task = scheduler.add("data:text/javascript,export default () => 1", {
 *     name: "sweep",
 *     schedule: every({ hours: 1 }),
 *   });
 *   await task.trigger();
 * });
 * ```
 */
export function leakGuard(t?: Deno.TestContext, options: LeakGuardOptions = {}): LeakGuard {
  return t === undefined
    ? new Guard(`the test whose guard was made at ${new Site().frames[0]}`, options)
    : new Guard(labelOf(t), options, t);
}

/**
 * The same as a {@linkcode leakGuard} in the first line of a test, for those who rather wrap it. When
 * the test fails by itself, its error is shown together with what it left behind.
 *
 * @param fn The test or step.
 * @param options How to look.
 * @returns What `Deno.test` and `t.step` take.
 *
 * @example
 * ```ts
 * import { guarded } from "@leash/leash/testing";
 *
 * Deno.test("waits", guarded(async () => {
 *   await new Promise((resolve) => setTimeout(resolve, 1));
 * }));
 * ```
 */
export function guarded(
  fn: (t: Deno.TestContext) => void | Promise<void>,
  options: LeakGuardOptions = {},
): (t: Deno.TestContext) => Promise<void> {
  return (t) =>
    // Within its own place, so that the caller stays where it is.
    at(currentPlace(), async () => {
      const guard = new Guard(labelOf(t), options, t);
      try {
        await fn(t);
      } catch (error) {
        const leaks = await guard.end();
        if (leaks.length === 0) throw error;
        throw new AggregateError(
          [error, new LeakError(guard.label, leaks)],
          `${guard.label} failed, and left something behind`,
        );
      }
      await guard[Symbol.asyncDispose]();
    });
}

/**
 * Guards every test of a file, also those that are added to it later: call it once, at the top of the
 * file. It uses the hooks of `Deno.test`, so a leak fails the test that it belongs to.
 *
 * Steps are counted to their test, unless they have a {@linkcode leakGuard} of their own.
 *
 * @param options How to look.
 *
 * @example
 * ```ts
 * import { guardTests } from "@leash/leash/testing";
 *
 * guardTests();
 *
 * Deno.test("terminates its worker", () => {
 *   new Worker("data:text/javascript,", { type: "module" }).terminate();
 * });
 * ```
 */
export function guardTests(options: LeakGuardOptions = {}): void {
  let guard: Guard | undefined;
  Deno.test.beforeEach(() => {
    // In the same turn as the hook, so that the test begins in the guard's place.
    guard = new Guard("this test", options);
  });
  Deno.test.afterEach(() => guard?.[Symbol.asyncDispose]());
}

function labelOf(t: Deno.TestContext): string {
  return `test "${testPath(t)}"`;
}
