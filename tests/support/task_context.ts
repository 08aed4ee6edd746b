import type { TaskContext } from "../../src/worker/context.ts";

/** A context for calling a task directly, and what the task told it. */
export interface RecordedContext extends TaskContext {
  /** Stops the run. */
  readonly controller: AbortController;
  /** All calls of `progress`. */
  readonly progressed: [done: number, total: number | undefined][];
  /** All log records. */
  readonly logged: { level: string; message: string; data: unknown }[];
  /** How often `checkpoint` was called. */
  checkpoints: number;
}

/**
 * Makes a context that records.
 *
 * @param onCheckpoint Called in each `checkpoint` with its number, from 1, before the check: here a
 * test lets something happen in the midst of a run.
 */
export function taskContext(onCheckpoint?: (count: number) => void): RecordedContext {
  const controller = new AbortController();
  const logged: RecordedContext["logged"] = [];
  const progressed: RecordedContext["progressed"] = [];
  const logger = (level: string) => (message: string, data?: unknown) => {
    logged.push({ level, message, data });
  };
  return {
    controller,
    signal: controller.signal,
    runId: "run-1",
    attempt: 1,
    deadline: undefined,
    task: { name: "test" },
    log: {
      debug: logger("debug"),
      info: logger("info"),
      warn: logger("warn"),
      error: logger("error"),
    },
    logged,
    progressed,
    checkpoints: 0,
    checkpoint() {
      this.checkpoints++;
      onCheckpoint?.(this.checkpoints);
      controller.signal.throwIfAborted();
    },
    progress(done, total) {
      progressed.push([done, total]);
    },
  };
}
