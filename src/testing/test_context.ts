import { show, toText } from "../base/show.ts";
import type { LogLevel } from "../protocol/messages.ts";
import type { TaskContext } from "../worker/context.ts";

/** What is to be different from the defaults in a context for tests. */
export interface TestContextOptions {
  /** Aborts the run, as does {@linkcode TestTaskContext.abort}. */
  signal?: AbortSignal;
  /** Default: `"run-1"`. */
  runId?: string;
  /** Default: 1. */
  attempt?: number;
  /** Milliseconds since the epoch. Default: none. */
  deadline?: number;
  /** Default: a task named `"test"`. */
  task?: { readonly name: string };
  /**
   * Called in each `checkpoint()` with its number, from 1, before it looks whether to stop: here a
   * test lets something happen in the midst of a run.
   */
  onCheckpoint?: (count: number) => void;
}

/** One call of `ctx.progress()`. */
export interface RecordedProgress {
  /** What the task gave as done. */
  readonly done: number;
  /** What the task gave as the total. */
  readonly total: number | undefined;
}

/** One call of `ctx.log`. */
export interface RecordedLog {
  /** How grave it is. */
  readonly level: LogLevel;
  /** The text. */
  readonly message: string;
  /** A copy of the data; as text where there can be no copy. */
  readonly data: unknown;
}

/** A context for calling a task directly. It keeps what the task told it. */
export interface TestTaskContext extends TaskContext {
  /** All calls of `progress()`, also those that come too close for a parent to hear of. */
  readonly progressed: readonly RecordedProgress[];
  /** All log records. */
  readonly logged: readonly RecordedLog[];
  /** How often `checkpoint()` was called. */
  readonly checkpoints: number;
  /** Tells the task to stop, as a timeout or a cancellation does. */
  abort(reason?: unknown): void;
}

/**
 * Makes what a task is given beside its input, for unit tests that call the task themselves.
 * {@linkcode runTask} does both in one.
 *
 * @param options What is to be different from the defaults.
 * @returns A context of its own for each call.
 *
 * @example
 * ```ts
 * import type { TaskContext } from "@leash/leash";
 * import { createTestContext } from "@leash/leash/testing";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * function count(input: { to: number }, ctx: TaskContext) {
 *   for (let index = 1; index <= input.to; index++) {
 *     ctx.checkpoint();
 *     ctx.progress(index, input.to);
 *   }
 * }
 *
 * const ctx = createTestContext({ onCheckpoint: (n) => n === 3 && ctx.abort(new Error("enough")) });
 * assertThrows(() => count({ to: 10 }, ctx), Error, "enough");
 * assertEquals(ctx.progressed.length, 2);
 * ```
 */
export function createTestContext(options: TestContextOptions = {}): TestTaskContext {
  const controller = new AbortController();
  const { signal = controller.signal, onCheckpoint } = options;
  const progressed: RecordedProgress[] = [];
  const logged: RecordedLog[] = [];
  let checkpoints = 0;
  const logger = (level: LogLevel) => (message: string, data?: unknown): void => {
    logged.push({ level, message: toText(message), data: copy(data) });
  };
  const context: TestTaskContext = {
    signal: signal === controller.signal ? signal : AbortSignal.any([signal, controller.signal]),
    runId: options.runId ?? "run-1",
    attempt: options.attempt ?? 1,
    deadline: options.deadline,
    task: options.task ?? { name: "test" },
    log: {
      debug: logger("debug"),
      info: logger("info"),
      warn: logger("warn"),
      error: logger("error"),
    },
    checkpoint: () => {
      checkpoints++;
      onCheckpoint?.(checkpoints);
      context.signal.throwIfAborted();
    },
    progress: (done, total) => {
      progressed.push({
        done: Number(done),
        total: total === undefined ? undefined : Number(total),
      });
    },
    progressed,
    logged,
    get checkpoints() {
      return checkpoints;
    },
    abort: (reason) => controller.abort(reason),
  };
  return context;
}

/** What the parent of a worker would get to see. */
function copy(data: unknown): unknown {
  try {
    return structuredClone(data);
  } catch {
    return show(data);
  }
}
