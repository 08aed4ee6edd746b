/**
 * The worker's side of a worker: it loads the task module, runs it when told to, and answers.
 *
 * @module
 */

import { plainText } from "../base/plain_text.ts";
import { ControlBlock } from "../protocol/control_block.ts";
import { decodeThrown, encodeThrown } from "../protocol/error_codec.ts";
import type { FromWorker, ToWorker } from "../protocol/messages.ts";
import { RunContext } from "./run_context.ts";
import type { TaskContext } from "./context.ts";

/** What an isolation provides inside the worker. */
export interface RuntimeHost {
  /** Sends a message to the parent. Throws when it cannot be cloned. */
  post(message: FromWorker): void;
  /** Calls the handler for every message of the parent. */
  receive(handler: (message: ToWorker) => void): void;
  /** Makes the worker's life observable from outside; resolves when it is. */
  holdLife(): Promise<void>;
}

type Run = (input: unknown, context: TaskContext) => unknown;

/**
 * Starts the runtime. It answers messages until the worker ends.
 *
 * @param host The isolation.
 * @param load Imports the task module.
 */
export function startRuntime(host: RuntimeHost, load: () => Promise<unknown>): void {
  let control: ControlBlock;
  let task = "";
  let run: Run;
  let stopping = false;
  const runs = new Map<number, RunContext>();

  const stopIfIdle = (): void => {
    if (stopping && runs.size === 0) host.post({ type: "leash:stopped" });
  };

  const start = async (message: Extract<ToWorker, { type: "leash:run" }>): Promise<void> => {
    const { sequence } = message;
    const current = new RunContext(message, task, control, host.post);
    runs.set(sequence, current);
    let answer: FromWorker;
    try {
      const value = await run(message.input, current.context);
      answer = { type: "leash:result", sequence, value };
    } catch (error) {
      answer = { type: "leash:failed", sequence, error: encodeThrown(error) };
    }
    current.flush();
    try {
      host.post(answer);
    } catch (cause) {
      const error = new TypeError(
        `Cannot send the result of task "${task}" to the parent: it cannot be cloned`,
        { cause },
      );
      host.post({ type: "leash:failed", sequence, error: encodeThrown(error) });
    }
    runs.delete(sequence);
    stopIfIdle();
  };

  host.receive((message) => {
    switch (message.type) {
      case "leash:init":
        control = new ControlBlock(message.control);
        task = message.task;
        break;
      case "leash:run":
        void start(message);
        break;
      case "leash:abort":
        runs.get(message.sequence)?.abort(() => decodeThrown(message.reason));
        break;
      case "leash:stop":
        stopping = true;
        host.post({ type: "leash:stopping" });
        for (const current of runs.values()) current.abort(() => decodeThrown(message.reason));
        stopIfIdle();
        break;
    }
  });

  catchUncaught(host);

  void (async () => {
    await host.holdLife();
    host.post({ type: "leash:hello" });
    try {
      const module = await load() as { default?: unknown };
      if (typeof module.default === "function") {
        run = module.default as Run;
        host.post({ type: "leash:ready" });
      } else {
        host.post({ type: "leash:load-failed", reason: explainDefault(module) });
      }
    } catch (error) {
      const encoded = encodeThrown(error);
      const reason = plainText("error" in encoded ? encoded.error.message : Deno.inspect(error));
      host.post({ type: "leash:load-failed", reason, error: encoded });
    }
  })();
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

function explainDefault(module: { default?: unknown }): string {
  const names = Object.keys(module);
  return "expected a function as its default export, received " +
    ("default" in module
      ? `a default export of type ${module.default === null ? "null" : typeof module.default}`
      : `no default export (it exports ${names.length === 0 ? "nothing" : names.join(", ")})`);
}
