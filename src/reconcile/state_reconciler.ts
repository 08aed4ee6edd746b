import type { Reconciler } from "./reconciler.ts";

/** What `reconcileState()` makes. */
export interface StateReconciler extends Reconciler {
  /**
   * Has `actual` called again in the next pass: something has changed that was not an operation of
   * this reconciler. It does nothing unless it runs; a run begins with a look anyway.
   */
  refresh(): void;
}
