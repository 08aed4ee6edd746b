import type { ChildProcess } from "node:child_process";
import type { Duplex, Readable } from "node:stream";
import { onAbort } from "../base/on_abort.ts";
import { plainText } from "../base/plain_text.ts";
import { holdLock } from "../base/web_locks.ts";
import { CONTROL, frameHeader, FrameReader, MESSAGE, TERM } from "../protocol/frames.ts";
import { type FromWorker, isMessage, type ToWorker } from "../protocol/messages.ts";
import { deserialize, serialize } from "../protocol/serialize.ts";
import { OutputLines } from "./_output_lines.ts";
import { processFlags } from "./_process_flags.ts";
import { trampoline } from "./_trampoline.ts";
import type { Death, Launch, Transport, TransportHandlers, TransportKind } from "./transport.ts";

const ENTRY = new URL("../worker/process_entry.ts", import.meta.url).href;

/** Never called. It puts the child's modules in this module's graph. */
export const _entry = (): Promise<unknown> => import("../worker/process_entry.ts");

/** Loaded when the first process is needed: most programs have none. */
let processes: typeof import("node:child_process");

/** After the death of a process, what it wrote last is waited for at most so long, in milliseconds. */
const DRAIN = 200;

/** So much of what it wrote last is kept, to tell why it died. */
const TAIL = 4_096;

/**
 * A `deno run` child. Messages go to it through its standard input, and come back through a fourth
 * pipe, so that standard output and standard error are the task's own; what is written to them is
 * handed on line by line.
 *
 * It lives no longer than this process: a thread of its own watches the pipe, and ends the child when
 * that is closed, whatever the task is doing.
 */
export const processTransport: TransportKind = {
  isolation: "process",
  sharesMemory: false,
  async prepare() {
    if (Deno.build.standalone) {
      throw new Error(
        `Cannot use isolation "process" in a compiled program: there is no "deno run" for a child. ` +
          `Use "worker" or "thread"`,
      );
    }
    processes ??= await import("node:child_process");
  },
  launch,
};

/** Whether this process may start others. */
export function canRunProcesses(): boolean {
  if (Deno.build.standalone) return false;
  const { state } = Deno.permissions.querySync({ name: "run", command: Deno.execPath() });
  return state === "granted";
}

function launch(launch: Launch, handlers: TransportHandlers): Transport {
  return new ProcessTransport(launch, handlers);
}

class ProcessTransport implements Transport {
  readonly #child: ChildProcess;
  readonly #handlers: TransportHandlers;
  readonly #death = Promise.withResolvers<Death>();
  #control: SharedArrayBuffer | undefined;
  #greeted = false;
  #tail = "";

  constructor(launch: Launch, handlers: TransportHandlers) {
    this.#handlers = handlers;
    const source = trampoline(ENTRY, [], launch);
    this.#child = processes.spawn(Deno.execPath(), [
      "run",
      ...processFlags(launch),
      `data:text/javascript,${encodeURIComponent(source)}`,
    ], { stdio: ["pipe", "pipe", "pipe", "pipe"] });
    const life = holdLock(launch.lock);
    // Without an id there is no process, and an event is about to tell why.
    const streams = this.#child.pid === undefined ? Promise.resolve() : this.#listen();
    const ended = Promise.withResolvers<Death>();
    this.#child.once("exit", (code, signal) => ended.resolve(this.#explain(code, signal)));
    this.#child.once("error", (error) => {
      handlers.error(error);
      ended.resolve({});
    });
    void ended.promise.then(async (death) => {
      await within(DRAIN, streams);
      for (const stream of this.#child.stdio ?? []) stream?.destroy();
      await life.release();
      this.#death.resolve(this.#tail.includes("out of memory") ? { outOfMemory: true } : death);
    });
  }

  post(message: ToWorker): void {
    if (message.type === "leash:init") {
      this.#control = message.control;
      return this.#send({ ...message, control: undefined });
    }
    const isStop = message.type === "leash:stop";
    if ((isStop || message.type === "leash:abort") && this.#control !== undefined) {
      const memory = new Uint8Array(this.#control).slice();
      this.#write(frameHeader(CONTROL, memory.length));
      this.#write(memory);
    }
    this.#send(message);
    // The message tells the runtime, the signal tells what else in the process listens for it.
    // The child sends it to itself: `kill()` here would close its pipe as well.
    if (isStop && Deno.build.os !== "windows") {
      this.#write(frameHeader(TERM, 1));
      this.#write(new Uint8Array(1));
    }
  }

  terminate(): void {
    this.#child.kill("SIGKILL");
  }

  async death(signal: AbortSignal): Promise<Death> {
    const givenUp = Promise.withResolvers<Death>();
    using _listening = onAbort(signal, givenUp.reject);
    return await Promise.race([this.#death.promise, givenUp.promise]);
  }

  #send(message: ToWorker): void {
    const payload = serialize(message);
    this.#write(frameHeader(MESSAGE, payload.length));
    this.#write(payload);
  }

  #write(bytes: Uint8Array): void {
    const { stdin } = this.#child;
    if (stdin?.writable) stdin.write(bytes);
  }

  /** Resolves when nothing more can come. */
  #listen(): Promise<unknown> {
    const { stdin, stdout, stderr, stdio } = this.#child;
    // It may end while it is written to: that is seen as its death.
    stdin!.on("error", () => {});
    const out = new OutputLines((text) => this.#handlers.output("stdout", text));
    const err = new OutputLines((text) => {
      this.#tail = `${this.#tail}\n${text}`.slice(-TAIL);
      this.#handlers.output("stderr", text);
    });
    return Promise.all([
      pump(stdout!, (bytes) => out.push(bytes)).then(() => out.end()),
      pump(stderr!, (bytes) => err.push(bytes)).then(() => err.end()),
      this.#pumpMessages(stdio[3] as Duplex),
    ]);
  }

  #pumpMessages(channel: Duplex): Promise<void> {
    let broken = false;
    const frames = new FrameReader((_kind, payload) => {
      const message = deserialize(payload);
      if (!isMessage(message)) throw new TypeError("Cannot read a message: received what is none");
      if (message.type === "leash:hello") this.#greeted = true;
      this.#handlers.message(message as FromWorker);
    });
    return pump(channel, (bytes) => {
      if (broken) return;
      try {
        frames.push(bytes);
      } catch (cause) {
        broken = true;
        this.#handlers.error(
          new Error("the task wrote to file descriptor 3, which is not its own", { cause }),
        );
      }
    });
  }

  #explain(code: number | null, signal: string | null): Death {
    const how = signal === null
      ? `its process exited with code ${code}`
      : `its process was ended by ${signal}`;
    // Before the runtime is up, only Deno itself can have said what was wrong.
    const why = this.#greeted ? "" : plainText(this.#tail.trim());
    return { how: why === "" ? how : `${how}: ${why}` };
  }
}

function pump(stream: Readable, take: (bytes: Uint8Array) => void): Promise<void> {
  return new Promise((resolve) => {
    stream.on("data", take);
    stream.once("close", resolve);
    // It may be closed by the death of the process.
    stream.on("error", () => resolve());
  });
}

async function within(limit: number, promise: Promise<unknown>): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, limit);
  await Promise.race([promise, timeout.promise]);
  clearTimeout(timer);
}
