import { show, toText } from "../base/show.ts";
import type { ControlBlock } from "../protocol/control_block.ts";
import type { FromWorker, LogLevel } from "../protocol/messages.ts";
import type { TaskContext, TaskLog } from "./context.ts";

/** The parent hears of progress at most this often, in milliseconds. */
const PROGRESS_INTERVAL = 50;

/** What all runs of one worker share. */
export interface RunSetting {
  readonly worker: string;
  readonly task: { readonly name: string };
  readonly control: ControlBlock;
  post(message: FromWorker): void;
}

/** What tells one run from another. */
export interface RunFacts {
  readonly sequence: number;
  readonly runId: string | undefined;
  readonly attempt: number;
  readonly deadline: number | undefined;
}

/** One run inside the worker: its context, and how the runtime stops it. */
export class RunContext {
  /** What the task is given. */
  readonly context: TaskContext;
  readonly #facts: RunFacts;
  readonly #setting: RunSetting;
  #controller: AbortController | undefined;
  #abort: { readonly reason: unknown } | undefined;
  #progress: FromWorker | undefined;
  #progressSent = -Infinity;

  constructor(facts: RunFacts, setting: RunSetting) {
    this.#facts = facts;
    this.#setting = setting;
    this.context = new Context(this, facts, setting);
  }

  /** The task's signal, made when the task first asks for it: a small run has no use for it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abort !== undefined) this.#controller.abort(this.#abort.reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the task's signal, unless it is aborted already. */
  abort(reason: () => unknown): void {
    if (this.#abort !== undefined) return;
    this.#abort = { reason: reason() };
    this.#controller?.abort(this.#abort.reason);
  }

  /** Throws when the run must stop. */
  checkpoint(): void {
    const { control } = this.#setting;
    control.beat();
    const { sequence } = this.#facts;
    if (this.#abort === undefined && !control.mustStop(sequence)) return;
    this.abort(() => control.reasonFor(sequence));
    // The signal has a reason also where none was given.
    throw this.signal.reason;
  }

  /** The task says how far it is. */
  progress(done: number, total?: number): void {
    this.#setting.control.beat();
    // What is no number throws here, in the task, and not later where it would be sent.
    this.#progress = {
      type: "leash:progress",
      sequence: this.#facts.sequence,
      done: Number(done),
      total: total === undefined ? undefined : Number(total),
    };
    const now = performance.now();
    if (now - this.#progressSent < PROGRESS_INTERVAL) return;
    this.#progressSent = now;
    this.flush();
  }

  /** Sends the progress that was held back. */
  flush(): void {
    if (this.#progress === undefined) return;
    this.#setting.post(this.#progress);
    this.#progress = undefined;
  }

  /** The task logs something. */
  log(level: LogLevel, message: string, data: unknown): void {
    this.flush();
    const record = {
      type: "leash:log",
      sequence: this.#facts.sequence,
      level,
      message: toText(message),
    } as const;
    try {
      this.#setting.post(data === undefined ? record : { ...record, data });
    } catch {
      // Cannot be cloned. A log line must not fail the run.
      this.#setting.post({ ...record, data: show(data) });
    }
  }
}

/** What the task sees of it. Its functions may be taken out of it, and cost nothing until then. */
class Context implements TaskContext {
  readonly #run: RunContext;
  readonly #setting: RunSetting;
  readonly #facts: RunFacts;
  #checkpoint: TaskContext["checkpoint"] | undefined;
  #progress: TaskContext["progress"] | undefined;
  #log: TaskLog | undefined;

  constructor(run: RunContext, facts: RunFacts, setting: RunSetting) {
    this.#run = run;
    this.#facts = facts;
    this.#setting = setting;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get runId(): string {
    return this.#facts.runId ?? `${this.#setting.worker}/${this.#facts.sequence}`;
  }

  get attempt(): number {
    return this.#facts.attempt;
  }

  get deadline(): number | undefined {
    return this.#facts.deadline;
  }

  get task(): { readonly name: string } {
    return this.#setting.task;
  }

  get checkpoint(): TaskContext["checkpoint"] {
    return this.#checkpoint ??= () => this.#run.checkpoint();
  }

  get progress(): TaskContext["progress"] {
    return this.#progress ??= (done, total) => this.#run.progress(done, total);
  }

  get log(): TaskLog {
    const at = (level: LogLevel) => (message: string, data?: unknown): void =>
      this.#run.log(level, message, data);
    return this.#log ??= {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
    };
  }
}
