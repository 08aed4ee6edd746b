import { writeSync } from "node:fs";
import { ControlBlock, MIRROR } from "../protocol/control_block.ts";
import { frameHeader, MESSAGE } from "../protocol/frames.ts";
import type { FromWorker, ToWorker } from "../protocol/messages.ts";
import { deserialize, serialize } from "../protocol/serialize.ts";
import { watch, type WatchOrder } from "./_process_watch.ts";
import { startRuntime } from "./runtime.ts";

/** Where the parent listens. Standard output belongs to the task. */
const CHANNEL = 3;

/**
 * What the main module of a child process calls. The task runs in the thread of that module; a second
 * thread watches the parent.
 *
 * @param load Imports the task module.
 */
export function serve(load: () => Promise<unknown>): void {
  const control = new BeatingControl(() => post({ type: "leash:beat" }));
  const url = URL.createObjectURL(new Blob([`(${watch})()`], { type: "text/javascript" }));
  const watcher = new Worker(url, { type: "module", name: "leash-watch" });
  URL.revokeObjectURL(url);
  startRuntime({
    control,
    post,
    receive(handler) {
      watcher.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
        const message = deserialize(new Uint8Array(data)) as ToWorker;
        if (message.type === "leash:init") control.beatInterval = message.beatInterval;
        handler(message);
      };
      watcher.postMessage({ control: control.buffer, ...MIRROR } satisfies WatchOrder);
    },
    // The parent sees the process itself.
    holdLife: () => Promise.resolve(),
  }, load);
}

function post(message: FromWorker): void {
  const payload = serialize(message);
  // At once, since the task may never yield again.
  send(frameHeader(MESSAGE, payload.length));
  send(payload);
}

/** Beats are counted in memory that the parent does not see, so some of them are told. */
class BeatingControl extends ControlBlock {
  /** Milliseconds; 0: nobody wants to know. */
  beatInterval = 0;
  readonly #tell: () => void;
  #last = 0;

  constructor(tell: () => void) {
    super();
    this.#tell = tell;
  }

  override beat(): void {
    super.beat();
    if (this.beatInterval === 0) return;
    const now = performance.now();
    if (now - this.#last < this.beatInterval) return;
    this.#last = now;
    this.#tell();
  }
}

function send(bytes: Uint8Array): void {
  for (let sent = 0; sent < bytes.length;) {
    try {
      sent += writeSync(CHANNEL, bytes, sent);
    } catch (error) {
      // The parent is gone, and the watcher is about to end this process.
      if ((error as { code?: string }).code === "EPIPE") return;
      throw error;
    }
  }
}
