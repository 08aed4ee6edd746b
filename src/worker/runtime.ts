/**
 * The worker's side of a worker: it loads the task module, runs it when told to, and answers.
 *
 * @module
 */

import { isThenable } from "../base/is_thenable.ts";
import { plainText } from "../base/plain_text.ts";
import { show } from "../base/show.ts";
import { ControlBlock } from "../protocol/control_block.ts";
import { decodeThrown, encodeThrown } from "../protocol/error_codec.ts";
import type { FromWorker, InitMessage, ToWorker } from "../protocol/messages.ts";
import { Inbox, type IncomingRun } from "./_inbox.ts";
import { Outbox } from "./_outbox.ts";
import { RunContext, type RunSetting } from "./run_context.ts";
import type { TaskContext } from "./context.ts";

/** What an isolation provides inside the worker. */
export interface RuntimeHost {
  /** Sends a message to the parent. Throws when it cannot be cloned. */
  post(message: FromWorker): void;
  /** Calls the handler for every message of the parent. */
  receive(handler: (message: ToWorker) => void): void;
  /** Where no memory is shared with the parent: what stands for it here. */
  readonly control?: ControlBlock;
  /** Whether the thread is the worker's own, so that errors nobody catches are its too. */
  readonly isAlone?: boolean;
  /** Makes the worker's life observable from outside; resolves when it is. */
  holdLife(): Promise<void>;
}

type Run = (input: unknown, context: TaskContext) => unknown;

/** After so many milliseconds of runs without an await, messages and timers get their turn. */
const TURN = 4;

/**
 * Starts the runtime. It answers messages until the worker ends.
 *
 * @param host The isolation.
 * @param load Imports the task module.
 */
export function startRuntime(host: RuntimeHost, load: () => Promise<unknown>): void {
  new Runtime(host, load);
}

class Runtime {
  readonly #host: RuntimeHost;
  readonly #init = Promise.withResolvers<InitMessage>();
  readonly #inbox = new Inbox();
  readonly #outbox: Outbox;
  readonly #runs = new Map<number, RunContext>();
  #module: Record<string, unknown> = {};
  #setting!: RunSetting;
  #concurrency = 1;
  #stopping = false;
  /** When messages and timers get their turn. */
  #turnEnd = 0;
  #yielding = false;
  #flushing = false;

  constructor(host: RuntimeHost, load: () => Promise<unknown>) {
    this.#host = host;
    this.#outbox = new Outbox(host.post, () => this.#setting.task.name);
    host.receive((message) => this.#receive(message));
    if (host.isAlone ?? true) catchUncaught(host);
    void this.#load(load);
  }

  #receive(message: ToWorker): void {
    switch (message.type) {
      case "leash:init":
        this.#setting = {
          worker: message.worker,
          task: { name: message.task },
          control: this.#host.control ?? new ControlBlock(message.control),
          post: this.#host.post,
        };
        this.#concurrency = message.concurrency;
        this.#outbox.reportsHeap = message.reportsHeap;
        if (message.beatInterval > 0) {
          setInterval(() => this.#setting.control.beat(), message.beatInterval);
        }
        return this.#init.resolve(message);
      case "leash:run":
        this.#inbox.push(message);
        return this.#takeTurn();
      case "leash:abort":
        // Where no memory is shared, the message is all there is to keep the run from beginning.
        this.#setting.control.abortRun(message.sequence, message.reason);
        return this.#runs.get(message.sequence)?.abort(() => decodeThrown(message.reason));
      case "leash:stop":
        this.#stopping = true;
        this.#host.post({ type: "leash:stopping" });
        for (const run of this.#runs.values()) run.abort(() => decodeThrown(message.reason));
        return this.#takeTurn();
    }
  }

  #takeTurn(): void {
    this.#turnEnd = performance.now() + TURN;
    this.#runAll();
  }

  /** Begins what may begin, and sends what has ended. */
  #runAll(): void {
    while (!this.#inbox.isEmpty && this.#runs.size < this.#concurrency && !this.#yielding) {
      if (performance.now() >= this.#turnEnd) this.#yield();
      else this.#begin(this.#inbox.shift());
    }
    if (this.#runs.size === 0 || this.#yielding) this.#outbox.flush();
    else this.#flushSoon();
    if (this.#stopping && this.#runs.size === 0 && this.#inbox.isEmpty) {
      this.#host.post({ type: "leash:stopped" });
    }
  }

  #yield(): void {
    this.#yielding = true;
    setImmediate(() => {
      this.#yielding = false;
      this.#takeTurn();
    });
  }

  /**
   * Results must not wait for a run that takes its time, but async runs that end at once, one after
   * the other, are to go out together.
   */
  #flushSoon(): void {
    if (this.#outbox.isEmpty || this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.#outbox.flush();
    });
  }

  #begin(incoming: IncomingRun): void {
    const { sequence, input, call = "default" } = incoming;
    if (this.#stopping || !this.#setting.control.begin(sequence)) {
      this.#outbox.flush();
      return this.#host.post({ type: "leash:skipped", sequence });
    }
    const run = new RunContext(incoming, this.#setting);
    try {
      const task = this.#module[call];
      if (typeof task !== "function") throw noSuchExport(call, this.#module);
      const value = (task as Run)(input, run.context);
      if (!isThenable(value)) {
        run.flush();
        return this.#outbox.add(sequence, value);
      }
      this.#runs.set(sequence, run);
      Promise.resolve(value).then(
        (value) => this.#ended(sequence, run, () => this.#outbox.add(sequence, value)),
        (error) => this.#ended(sequence, run, () => this.#outbox.fail(sequence, error)),
      );
    } catch (error) {
      run.flush();
      this.#outbox.fail(sequence, error);
    }
  }

  #ended(sequence: number, run: RunContext, answer: () => void): void {
    run.flush();
    this.#runs.delete(sequence);
    answer();
    this.#runAll();
  }

  async #load(load: () => Promise<unknown>): Promise<void> {
    const { post } = this.#host;
    await this.#host.holdLife();
    post({ type: "leash:hello" });
    try {
      this.#module = await load() as Record<string, unknown>;
    } catch (error) {
      const encoded = encodeThrown(error);
      const reason = plainText("error" in encoded ? encoded.error.message : show(error));
      return post({ type: "leash:load-failed", reason, error: encoded });
    }
    const { needsDefault } = await this.#init.promise;
    const functions = Object.values(this.#module).filter((value) => typeof value === "function");
    const isUsable = needsDefault
      ? typeof this.#module.default === "function"
      : functions.length > 0;
    if (isUsable) post({ type: "leash:ready" });
    else post({ type: "leash:load-failed", reason: explainExports(this.#module, needsDefault) });
  }
}

function noSuchExport(call: string, module: Record<string, unknown>): TypeError {
  const names = Object.keys(module).filter((name) => typeof module[name] === "function");
  return new TypeError(
    `Cannot call ${call}: expected one of the functions that the module exports ` +
      `(${names.join(", ")}): received ${call}`,
  );
}

/** Tells the parent of what would otherwise end the process, or end the worker without a word. */
function catchUncaught(host: RuntimeHost): void {
  const uncaught = (event: Event, error: unknown): void => {
    event.preventDefault();
    host.post({ type: "leash:uncaught", error: encodeThrown(error) });
  };
  addEventListener("error", (event) => uncaught(event, event.error ?? event.message));
  addEventListener("unhandledrejection", (event) => uncaught(event, event.reason));

  const exit = Deno.exit;
  Deno.exit = (code) => {
    host.post({ type: "leash:exiting", how: `it called Deno.exit(${code ?? ""})` });
    return exit(code);
  };
  const close = globalThis.close;
  globalThis.close = () => {
    host.post({ type: "leash:exiting", how: "it called self.close()" });
    close.call(globalThis);
  };
}

function explainExports(module: Record<string, unknown>, needsDefault: boolean): string {
  const names = Object.keys(module);
  const exported = names.length === 0 ? "nothing" : names.join(", ");
  if (!needsDefault) return `expected an exported function, received ${exported}`;
  return "expected a function as its default export, received " +
    ("default" in module
      ? `a default export of type ${module.default === null ? "null" : typeof module.default}`
      : `no default export (it exports ${exported})`);
}
