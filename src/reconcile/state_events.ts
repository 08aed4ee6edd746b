/** What is done to a key. */
export type StateOperation = "apply" | "remove";

/** How an operation ended. */
export type StateOutcome = "done" | "failed" | "uncertain";

/** What happens in `reconcileState()`. */
export type StateEvent =
  & {
    /** When, in milliseconds since the epoch. */
    readonly at: number;
    /** The name of the reconciler. */
    readonly reconciler: string;
  }
  & (
    /** What there is already was found out. */
    | { readonly type: "state-reconstructed"; readonly keys: readonly string[] }
    /** What there is was looked at again: these keys are there, or are gone, by themselves. */
    | {
      readonly type: "state-refreshed";
      readonly appeared: readonly string[];
      readonly gone: readonly string[];
    }
    /** `actual` threw when it was called again. What was known stays so. */
    | { readonly type: "state-refresh-failed"; readonly error: unknown }
    /** `desired` or `complete` threw: nothing is removed in this pass. */
    | { readonly type: "state-desired-failed"; readonly error: unknown }
    | {
      readonly type: "state-operation-started";
      readonly operation: StateOperation;
      readonly key: string;
    }
    /**
     * A call has taken its `timeout`, and its signal was aborted. If it goes on, its key waits for its end;
     * for that of `desired` and of the first `actual` everything does.
     */
    | {
      readonly type: "state-overdue";
      readonly call: StateOperation | "actual" | "desired";
      /** Whose operation it is. */
      readonly key?: string;
    }
    | {
      readonly type: "state-operation-ended";
      readonly operation: StateOperation;
      readonly key: string;
      readonly outcome: StateOutcome;
      /** What it threw, unless it was done. */
      readonly error?: unknown;
      /**
       * In so many milliseconds it is tried again, if it is still wanted then. Unset when the
       * reconciler has been told to stop: that an operation breaks off is then nothing special.
       */
      readonly retryIn?: number;
    }
    /** A pass is over. `started`: how many operations it began. */
    | { readonly type: "state-pass"; readonly started: number; readonly pending: number }
  );

type WithoutBase<Event> = Event extends StateEvent ? Omit<Event, "at" | "reconciler"> : never;

/** An event without what is the same in all of them. */
export type StateEventBody = WithoutBase<StateEvent>;
