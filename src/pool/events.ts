import type { TaskLoadError, WorkerCrashedError } from "../base/errors.ts";

/** Why a worker ended. */
export type WorkerEnd =
  /** Its owner stopped, or was closed. */
  | "stopped"
  /** It had nothing to do for its idle timeout. */
  | "idle"
  /** It had done as many runs as it may. */
  | "recycled"
  /** Its run was aborted and did not end within the grace period. */
  | "killed"
  /** It ended by itself, or an error in it was not caught. */
  | "crashed"
  /** Its task module could not be loaded. */
  | "load-failed";

/** What every event of a worker carries. */
export interface WorkerEventBase {
  /** When, in milliseconds since the epoch. */
  readonly at: number;
  /** The worker's name. */
  readonly worker: string;
  /** The task that it was made for. */
  readonly task: string;
}

/** What happens to a worker. */
export type WorkerEvent =
  & WorkerEventBase
  & (
    | { readonly type: "worker-spawned" }
    /** The module is loaded. `took`: milliseconds since it was spawned. */
    | { readonly type: "worker-ready"; readonly took: number }
    | { readonly type: "worker-load-failed"; readonly error: TaskLoadError }
    /** `running`: there was a run in it, which gets the error. */
    | {
      readonly type: "worker-crashed";
      readonly error: WorkerCrashedError;
      readonly running: boolean;
    }
    /** The task posted a message by itself; nobody receives it. */
    | { readonly type: "worker-foreign-message"; readonly data: unknown }
    /** It has runs, and showed no sign of life for `silentFor` milliseconds. */
    | { readonly type: "worker-hung"; readonly silentFor: number }
    /** The task wrote a line to its console. Only for isolation `"process"`. */
    | {
      readonly type: "worker-output";
      readonly stream: "stdout" | "stderr";
      readonly text: string;
    }
    /** Terminated, and still alive after `waited` milliseconds. Its place is free again. */
    | { readonly type: "worker-stuck"; readonly waited: number }
    /**
     * Its death was observed. `wasStuck`: it had been given up before. `busy`, for a thread that was
     * killed: the part of a processor, 0 to 1, that it used after it was told to stop. Near 1, the
     * code in it never yields; near 0, it waits for something and ignores `ctx.signal`.
     */
    | {
      readonly type: "worker-exited";
      readonly end: WorkerEnd;
      readonly wasStuck: boolean;
      readonly busy?: number;
    }
  );
