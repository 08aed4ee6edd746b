/**
 * What a task is handed beside its input.
 *
 * @module
 */

/** Writes log records that reach the parent as `log` events, in order. */
export interface TaskLog {
  /** Detail for whoever debugs the task. */
  debug(message: string, data?: unknown): void;
  /** Something worth knowing that is not a problem. */
  info(message: string, data?: unknown): void;
  /** A problem that the task got over. */
  warn(message: string, data?: unknown): void;
  /** A problem that the task did not get over. */
  error(message: string, data?: unknown): void;
}

/**
 * The second argument of every task: how to notice that the run must stop, and how to tell what it
 * is doing.
 *
 * A task imports this type and nothing else of Leash, so it can be unit-tested by calling it.
 *
 * @example
 * ```ts
 * import type { TaskContext } from "@leash/leash/worker";
 *
 * export default function sum(numbers: number[], ctx: TaskContext): number {
 *   let total = 0;
 *   for (const [index, value] of numbers.entries()) {
 *     ctx.checkpoint();
 *     total += value;
 *     ctx.progress(index + 1, numbers.length);
 *   }
 *   return total;
 * }
 * ```
 */
export interface TaskContext {
  /**
   * Aborted when this run must stop: timeout, cancellation or the end of the owner. Its `reason` is
   * a copy of the reason that the parent gave. Pass it to `fetch`, streams and timers.
   */
  readonly signal: AbortSignal;
  /** The same in all attempts of one run, unique in this process. */
  readonly runId: string;
  /** 1 for the first attempt, 2 for the first retry, and so on. */
  readonly attempt: number;
  /** When this attempt times out, in milliseconds since the epoch; `undefined` without a timeout. */
  readonly deadline: number | undefined;
  /** The task that this run belongs to. */
  readonly task: { readonly name: string };
  /** Log records for the parent's `onEvent` sink. */
  readonly log: TaskLog;
  /**
   * For loops that never await: throws `signal.reason` when the run must stop, else does nothing.
   * Costs a few nanoseconds, so call it on every turn of the loop.
   */
  checkpoint(): void;
  /**
   * Tells the parent how far the run is. Calls are cheap: the parent hears at most one in 50 ms,
   * and always the last one.
   */
  progress(done: number, total?: number): void;
}
