import { plainText } from "../base/plain_text.ts";
import { webLocks } from "../base/web_locks.ts";
import { type FromWorker, isMessage } from "../protocol/messages.ts";
import type { Launch, Transport, TransportHandlers } from "./transport.ts";

const ENTRY = new URL("../worker/web_entry.ts", import.meta.url).href;

/**
 * Never called. It puts the worker's first module in this module's graph, so that `deno cache`,
 * `--cached-only` and `deno compile` know of it.
 */
export const _entry = (): Promise<unknown> => import("../worker/web_entry.ts");

/**
 * A Web Worker. It is launched from a small module made here that imports the runtime and the task
 * module by literal specifiers: both are then loaded with the rights of the parent, so that the
 * worker itself needs none.
 */
export function webTransport(launch: Launch, handlers: TransportHandlers): Transport {
  const url = URL.createObjectURL(new Blob([source(launch)], { type: "text/javascript" }));
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
  worker.onmessage = ({ data }) => {
    if (isMessage(data)) handlers.message(data as FromWorker);
    else handlers.foreignMessage(data);
  };
  worker.onerror = (event) => {
    // Without this, an error in the worker ends the process.
    event.preventDefault();
    handlers.error(
      event.error instanceof Error ? event.error : new Error(plainText(event.message)),
    );
  };
  worker.onmessageerror = () => {
    handlers.error(new Error("a message of the worker could not be read"));
  };
  return {
    post: (message, transfer) => worker.postMessage(message, transfer ?? []),
    terminate: () => worker.terminate(),
    async death(signal) {
      await webLocks().request(launch.lock, { signal }, () => {});
    },
  };
}

function source({ module, lock, permissions }: Launch): string {
  const specifier = JSON.stringify(module);
  // Deno loads what a literal specifier names before the worker runs at all. While a server does
  // not answer, such a worker can neither speak nor be ended, so remote modules are loaded later,
  // from inside the worker, unless it lacks the rights to do so.
  const remote = /^https?:/.test(module) && (permissions ?? "inherit") === "inherit";
  return `import { serve } from ${JSON.stringify(ENTRY)};\n` +
    (remote
      ? `const specifier = ${specifier};\nserve(${JSON.stringify(lock)}, () => import(specifier));`
      : `serve(${JSON.stringify(lock)}, () => import(${specifier}));`);
}
