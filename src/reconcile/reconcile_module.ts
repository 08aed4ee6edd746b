import type { Duration } from "../base/duration.ts";
import type { TaskContext } from "../worker/context.ts";

/**
 * What a reconcile returns. There is no result for a failure: it throws, and so it cannot ask for a
 * requeue at the same time.
 *
 * - nothing, or `{}`: the key is as it should be.
 * - `requeueAfter`: likewise, and it is to be looked at again so much later. 0 is the same as nothing.
 * - `pollBackoff`: not yet, but nothing is wrong: look again, each time later, until something adds the
 *   key.
 *
 * `priority` is that of the next run; without it the key keeps the one that it has.
 */
export type ReconcileResult =
  | void
  | undefined
  | Record<string, never>
  | {
    /** Milliseconds, units such as `{ minutes: 5 }`, or a `Temporal.Duration`. */
    readonly requeueAfter: Duration;
    readonly pollBackoff?: never;
    readonly priority?: number;
  }
  | {
    readonly pollBackoff: true;
    readonly requeueAfter?: never;
    readonly priority?: number;
  };

/** A module whose default export reconciles one key. */
export interface ReconcileModule {
  /**
   * Called in a worker, never twice at a time for one key. `ctx.attempt` is 1 more than the failures of
   * the key.
   */
  default: (key: string, ctx: TaskContext) => ReconcileResult | Promise<ReconcileResult>;
  /**
   * Called once in each worker before any key, with the context of the first run. When it throws, that
   * run has failed, and the next one calls it again.
   */
  start?: (ctx: TaskContext) => void | Promise<void>;
}
