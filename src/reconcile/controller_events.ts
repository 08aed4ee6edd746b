import type { StuckWorker } from "../base/errors.ts";
import type { WorkerEvent } from "../pool/events.ts";
import type { AbortEnding } from "../pool/run.ts";
import type { LogLevel } from "../protocol/messages.ts";

/** How a run of a key ended. */
export type ReconcileOutcome =
  /** It returned nothing: the key is as it should be. */
  | "succeeded"
  /** It returned `requeueAfter`. */
  | "requeue-after"
  /** It returned `pollBackoff`. */
  | "poll-backoff"
  /** It threw, or its module could not be loaded. The key is tried again, each time later. */
  | "failed"
  /** It threw a `TerminalError`. The key is not tried again by itself. */
  | "terminal"
  /** It took longer than its timeout. The key is tried again, each time later. */
  | "timed-out"
  /** Its worker ended under it. The key is tried again, each time later. */
  | "crashed"
  /** `cancel()` was called for it. The key is not tried again by itself. */
  | "cancelled"
  /** The controller stopped. */
  | "aborted";

/** A run of a key that has ended. */
export interface ReconcileRun {
  /** The key. */
  readonly key: string;
  /** What the module saw as `ctx.runId`. */
  readonly runId: string;
  /** 1 more than the failures of the key before. */
  readonly attempt: number;
  /** How it ended. */
  readonly outcome: ReconcileOutcome;
  /** When it began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** How long it took, in milliseconds. */
  readonly duration: number;
  /** What it threw, or why it was aborted. */
  readonly error?: unknown;
  /** What became of it when it was told to stop. */
  readonly ending?: AbortEnding;
}

/** What happens to a controller and its keys. */
export type ControllerEvent =
  | WorkerEvent
  | (
    & {
      /** When, in milliseconds since the epoch. */
      readonly at: number;
      /** The name of the controller. */
      readonly controller: string;
    }
    & (
      | {
        readonly type: "reconcile-started";
        readonly key: string;
        readonly runId: string;
        readonly attempt: number;
      }
      | { readonly type: "reconcile-ended"; readonly run: ReconcileRun }
      /** A key is being reconciled for longer than `slowAfter`, and still is. */
      | { readonly type: "reconcile-slow"; readonly key: string; readonly runningFor: number }
      /** A key is put off for longer than `slowAfter`, because what it would read is stale; told once. */
      | { readonly type: "reconcile-stale"; readonly key: string; readonly staleFor: number }
      | {
        readonly type: "reconcile-log";
        readonly key: string;
        readonly runId: string;
        readonly level: LogLevel;
        readonly message: string;
        readonly data: unknown;
      }
      /**
       * A key was reconciled `runs` times within so many milliseconds, and never failed. In
       * `selfTriggered` of them something added it while it ran: most likely the run itself.
       */
      | {
        readonly type: "reconcile-hot-loop";
        readonly key: string;
        readonly runs: number;
        readonly within: number;
        readonly selfTriggered: number;
      }
      /** What was there at the beginning is queued. */
      | { readonly type: "source-synced"; readonly source: string }
      /** It is run again in `retryIn` milliseconds; after a failed resync it lists again by then. */
      | {
        readonly type: "source-failed";
        readonly source: string;
        readonly error: unknown;
        readonly retryIn: number;
      }
      /** There is nothing more to come from it, or it was removed. */
      | { readonly type: "source-ended"; readonly source: string; readonly removed: boolean }
      /** All sources that it had at the start are synced: keys are reconciled from now on. */
      | { readonly type: "controller-synced" }
      | { readonly type: "controller-paused" }
      | { readonly type: "controller-resumed" }
      | { readonly type: "controller-stopping"; readonly reason: unknown }
      /** `left`: keys that were queued. `delayed`: those that waited for their time. `stuck`: workers that live on. */
      | {
        readonly type: "controller-stopped";
        readonly left: readonly string[];
        readonly delayed: readonly string[];
        readonly stuck: readonly StuckWorker[];
      }
    )
  );

type WithoutBase<Event> = Event extends { readonly controller: string }
  ? Omit<Event, "at" | "controller">
  : never;

/** An event without what is the same in all of them. */
export type ControllerEventBody = WithoutBase<ControllerEvent>;
