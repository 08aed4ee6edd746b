import { onAbort } from "../base/on_abort.ts";
import { plainText } from "../base/plain_text.ts";
import { webLocks } from "../base/web_locks.ts";
import { type FromWorker, isMessage } from "../protocol/messages.ts";
import { listen } from "../worker/thread_port.ts";
import { trampoline } from "./_trampoline.ts";
import type { Launch, Transport, TransportHandlers, TransportKind } from "./transport.ts";

const ENTRY = new URL("../worker/web_entry.ts", import.meta.url).href;

/**
 * Never called. It puts the worker's first module in this module's graph, so that `deno cache`,
 * `--cached-only` and `deno compile` know of it.
 */
export const _entry = (): Promise<unknown> => import("../worker/web_entry.ts");

/**
 * A Web Worker. It holds its lock itself, so that the lock is free exactly when it is dead. One that is
 * ended before it has its lock is given one end of a channel: it lies there unread, and is closed with it.
 */
export const webTransport: TransportKind = {
  isolation: "worker",
  sharesMemory: true,
  launch,
};

function launch(launch: Launch, handlers: TransportHandlers): Transport {
  const source = trampoline(ENTRY, [launch.lock], launch);
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  let worker: Worker;
  try {
    worker = new Worker(url, {
      type: "module",
      name: launch.name,
      ...(launch.permissions === undefined
        ? {}
        : { deno: { permissions: launch.permissions as Deno.PermissionOptions } }),
    });
  } finally {
    URL.revokeObjectURL(url);
  }
  /** Whether it is known what `born` resolves with. */
  let isDecided = false;
  /** Resolves when it holds its lock: `true`, or is gone without: `false`. */
  const born = Promise.withResolvers<boolean>();
  const decide = (hasLock: boolean): void => {
    isDecided = true;
    born.resolve(hasLock);
  };
  const givenUp = Promise.withResolvers<never>();
  givenUp.promise.catch(() => {});
  worker.onmessage = ({ data }) => {
    if (!isMessage(data)) return handlers.foreignMessage(data);
    const message = data as FromWorker;
    if (message.type === "leash:hello") decide(true);
    handlers.message(message);
  };
  worker.onerror = (event) => {
    // Without this, an error in the worker ends the process.
    event.preventDefault();
    // If it has no lock by now, its thread ends with the error: there is no more to observe.
    decide(false);
    handlers.error(
      event.error instanceof Error ? event.error : new Error(plainText(event.message)),
    );
  };
  worker.onmessageerror = () => {
    handlers.error(new Error("a message of the worker could not be read"));
  };
  const terminateUnborn = async (): Promise<void> => {
    using _end = { [Symbol.dispose]: () => worker.terminate() };
    const { MessageChannel } = await import("node:worker_threads");
    const { port1, port2 } = new MessageChannel();
    Promise.race([born.promise, givenUp.promise]).catch(() => {}).then(() => port1.close());
    port1.on("close", () => decide(false));
    listen(port1, () => {});
    worker.postMessage(undefined, [port2 as unknown as MessagePort]);
  };
  return {
    post: (message, transfer) => worker.postMessage(message, transfer ?? []),
    terminate: () => isDecided ? worker.terminate() : void terminateUnborn(),
    async death(signal) {
      using _listening = onAbort(signal, givenUp.reject);
      const hasLock = await Promise.race([born.promise, givenUp.promise]);
      if (hasLock) await webLocks().request(launch.lock, { signal }, () => {});
      return {};
    },
  };
}
