import { show, toText } from "../base/show.ts";
import type { ControlBlock } from "../protocol/control_block.ts";
import type { FromWorker, LogLevel, ToWorker } from "../protocol/messages.ts";
import type { TaskContext } from "./context.ts";

/** The parent hears of progress at most this often, in milliseconds. */
const PROGRESS_INTERVAL = 50;

/** One run inside the worker: its context, and how the runtime stops it. */
export class RunContext {
  /** What the task is given. */
  readonly context: TaskContext;
  readonly #controller = new AbortController();
  readonly #sequence: number;
  readonly #post: (message: FromWorker) => void;
  #aborted = false;
  #progress: FromWorker | undefined;
  #progressSent = -Infinity;

  constructor(
    run: Extract<ToWorker, { type: "leash:run" }>,
    task: string,
    control: ControlBlock,
    post: (message: FromWorker) => void,
  ) {
    const sequence = this.#sequence = run.sequence;
    this.#post = post;
    this.context = {
      signal: this.#controller.signal,
      runId: run.runId,
      attempt: run.attempt,
      deadline: run.deadline,
      task: { name: task },
      log: {
        debug: (message, data) => this.#log("debug", message, data),
        info: (message, data) => this.#log("info", message, data),
        warn: (message, data) => this.#log("warn", message, data),
        error: (message, data) => this.#log("error", message, data),
      },
      checkpoint: () => {
        control.beat();
        if (!this.#aborted && !control.mustStop(sequence)) return;
        this.abort(() => control.reasonFor(sequence));
        throw this.#controller.signal.reason;
      },
      progress: (done, total) => {
        control.beat();
        // What is no number throws here, in the task, and not later where it would be sent.
        this.#progress = {
          type: "leash:progress",
          sequence,
          done: Number(done),
          total: total === undefined ? undefined : Number(total),
        };
        const now = performance.now();
        if (now - this.#progressSent < PROGRESS_INTERVAL) return;
        this.#progressSent = now;
        this.flush();
      },
    };
  }

  /** Aborts the task's signal, unless it is aborted already. */
  abort(reason: () => unknown): void {
    if (this.#aborted) return;
    const value = reason();
    this.#aborted = true;
    this.#controller.abort(value);
  }

  /** Sends the progress that was held back. */
  flush(): void {
    if (this.#progress === undefined) return;
    this.#post(this.#progress);
    this.#progress = undefined;
  }

  #log(level: LogLevel, message: string, data: unknown): void {
    this.flush();
    const record = {
      type: "leash:log",
      sequence: this.#sequence,
      level,
      message: toText(message),
    } as const;
    try {
      this.#post(data === undefined ? record : { ...record, data });
    } catch {
      // Cannot be cloned. A log line must not fail the run.
      this.#post({ ...record, data: show(data) });
    }
  }
}
