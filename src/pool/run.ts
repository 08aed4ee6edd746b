import type { WorkerCrashedError } from "../base/errors.ts";
import type { LogLevel } from "../protocol/messages.ts";

/** What to run, and how to be told of it. */
export interface RunRequest {
  /** The first argument of the task. */
  readonly input: unknown;
  /** The export to call. Default: the default export. */
  readonly call?: string | undefined;
  /** What the task sees as `ctx.runId`. Default: made of the worker's name. */
  readonly runId?: string | undefined;
  /** Default: 1. */
  readonly attempt?: number | undefined;
  /** Milliseconds from the moment that the worker is told to run. */
  readonly timeout?: number | undefined;
  /** Milliseconds between an abort and the end of the worker. */
  readonly gracePeriod: number;
  /** Aborts this run and no other. */
  readonly signal?: AbortSignal | undefined;
  /** Larger is sooner. Default: 0. */
  readonly priority?: number | undefined;
  /** What is moved to the worker, not copied. */
  readonly transfer?: Transferable[] | undefined;
  /** The worker was told to run. */
  readonly onStart?: ((worker: string) => void) | undefined;
  readonly onProgress?: ((done: number, total: number | undefined) => void) | undefined;
  readonly onLog?: ((level: LogLevel, message: string, data: unknown) => void) | undefined;
}
/** Who aborted a run. */
export type AbortCause = "timeout" | "signal" | "stop";

/** How an aborted run ended. */
export type AbortEnding =
  /** It had not begun. */
  | "not-started"
  /** The task returned within the grace period. */
  | "returned"
  /** The task threw within the grace period. */
  | "threw"
  /** The grace period ran out, and the worker was ended. */
  | "killed"
  /** The grace period ran out, and the worker could not be ended. */
  | "stuck";

/** The end of a run: exactly one for every request, whatever happens. */
export type RunSettlement =
  | { readonly kind: "completed"; readonly value: unknown }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "crashed"; readonly error: WorkerCrashedError }
  | {
    readonly kind: "aborted";
    readonly cause: AbortCause;
    readonly reason: unknown;
    readonly ending: AbortEnding;
    /** What the task threw after the abort, when `ending` is `"threw"`. */
    readonly error?: unknown;
  };
