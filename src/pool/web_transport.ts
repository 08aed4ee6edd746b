import { plainText } from "../base/plain_text.ts";
import { webLocks } from "../base/web_locks.ts";
import { type FromWorker, isMessage } from "../protocol/messages.ts";
import { trampoline } from "./_trampoline.ts";
import type { Launch, Transport, TransportHandlers, TransportKind } from "./transport.ts";

const ENTRY = new URL("../worker/web_entry.ts", import.meta.url).href;

/**
 * Never called. It puts the worker's first module in this module's graph, so that `deno cache`,
 * `--cached-only` and `deno compile` know of it.
 */
export const _entry = (): Promise<unknown> => import("../worker/web_entry.ts");

/** A Web Worker. It holds its lock itself, so that the lock is free exactly when it is dead. */
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
  /** Resolves when it holds its lock: `true`, or never will: `false`. */
  const born = Promise.withResolvers<boolean>();
  worker.onmessage = ({ data }) => {
    if (!isMessage(data)) return handlers.foreignMessage(data);
    const message = data as FromWorker;
    if (message.type === "leash:hello") born.resolve(true);
    handlers.message(message);
  };
  worker.onerror = (event) => {
    // Without this, an error in the worker ends the process.
    event.preventDefault();
    handlers.error(
      event.error instanceof Error ? event.error : new Error(plainText(event.message)),
    );
    // If it has no lock by now, its thread ends with the error: there is no more to observe.
    born.resolve(false);
  };
  worker.onmessageerror = () => {
    handlers.error(new Error("a message of the worker could not be read"));
  };
  return {
    post: (message, transfer) => worker.postMessage(message, transfer ?? []),
    terminate: () => worker.terminate(),
    async death(signal) {
      if (await born.promise) await webLocks().request(launch.lock, { signal }, () => {});
      return {};
    },
  };
}
