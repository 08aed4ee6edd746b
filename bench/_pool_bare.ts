import type { Contestant } from "./_pool_contestant.ts";

/** One Web Worker that is asked one thing at a time: what there is below every pool. */
export function open(): Contestant {
  const worker = new Worker(new URL("./_pool_hand_worker.ts", import.meta.url), { type: "module" });
  let resolve: (value: unknown) => void;
  let reject: (error: unknown) => void;
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(event.message));
  };
  const ask = (message: unknown) => {
    worker.postMessage(message);
    return new Promise<unknown>((...settle) => [resolve, reject] = settle);
  };
  return {
    echo: <T>(value: T) => ask(value) as Promise<T>,
    hold: (lock, signal) => {
      signal.addEventListener("abort", () => {
        worker.terminate();
        reject(signal.reason);
      });
      return ask({ hold: lock });
    },
    close: () => worker.terminate(),
  };
}
