import { webLocks } from "../base/web_locks.ts";
import { isMessage, type ToWorker } from "../protocol/messages.ts";
import { startRuntime } from "./runtime.ts";

interface WorkerScope {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}

/**
 * What the first module of a Web Worker calls.
 *
 * @param lock The name of the lock that the worker holds for life.
 * @param load Imports the task module.
 */
export function serve(lock: string, load: () => Promise<unknown>): void {
  const scope = globalThis as unknown as WorkerScope;
  // Kept now: the task may replace it later.
  const post = scope.postMessage.bind(scope);
  startRuntime({
    post,
    receive(handler) {
      // In the first turn, or messages that were sent already are lost.
      scope.addEventListener("message", (event) => {
        if (isMessage(event.data)) handler(event.data as ToWorker);
      });
    },
    holdLife() {
      const { promise, resolve } = Promise.withResolvers<void>();
      void webLocks().request(lock, {}, () => {
        resolve();
        return new Promise(() => {});
      });
      return promise;
    },
  }, load);
}
