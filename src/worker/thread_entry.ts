import type { MessagePort } from "node:worker_threads";
import { workerData } from "node:worker_threads";
import { getHeapStatistics } from "node:v8";
import { holdLock } from "../base/web_locks.ts";
import { isMessage, type ToWorker } from "../protocol/messages.ts";
import { startRuntime } from "./runtime.ts";
import { listen } from "./thread_port.ts";

/** What the parent hands to a thread. */
export interface ThreadData {
  /** The channel to the parent. It is closed when nothing is left of the thread. */
  port?: MessagePort;
  /** The name of the lock that the thread holds for life. */
  readonly lock: string;
  /** Whether there is a limit of memory to be watched. */
  readonly limited: boolean;
}

/** How often to look whether the limit was reached, in milliseconds. */
const MEMORY_INTERVAL = 100;

/**
 * What the first module of a `node:worker_threads` worker calls.
 *
 * @param load Imports the task module.
 */
export function serve(load: () => Promise<unknown>): void {
  const data = workerData as ThreadData;
  const port = data.port!;
  // The task can read `workerData` too, and has no business with the channel.
  delete data.port;
  // Tasks are to run in any isolation, and this name is the only one that is missing here.
  (globalThis as { self?: unknown }).self ??= globalThis;
  startRuntime({
    post: (message) => port.postMessage(message),
    receive(handler) {
      listen(port, (message) => {
        if (isMessage(message)) handler(message as ToWorker);
      });
    },
    // Deno ends a busy worker of this kind only while it holds a lock.
    holdLife: () => holdLock(data.lock).held,
  }, load);
  if (data.limited) {
    const limit = getHeapStatistics().heap_size_limit;
    // At the limit, V8 ends whatever is running, raises the limit a little and goes on. Unless that
    // was in the callback of a timer, nobody is told: the run would never end.
    setInterval(() => {
      if (getHeapStatistics().heap_size_limit === limit) return;
      port.postMessage({ type: "leash:out-of-memory" });
    }, MEMORY_INTERVAL);
  }
}
