import type { Contestant } from "./_pool_contestant.ts";

/** Two Web Workers in turn, and one message for each task and for each answer. */
export function open(): Contestant {
  const pending = new Map<number, (value: unknown) => void>();
  const workers = [0, 1].map(() => {
    const worker = new Worker(new URL("./_pool_hand_worker.ts", import.meta.url), {
      type: "module",
    });
    worker.onmessage = ({ data: { id, value } }: MessageEvent<{ id: number; value: unknown }>) => {
      pending.get(id)!(value);
      pending.delete(id);
    };
    return worker;
  });
  let count = 0;
  const run = (value: unknown, transfer: Transferable[] = []) =>
    new Promise<unknown>((resolve) => {
      const id = count++;
      pending.set(id, resolve);
      workers[id & 1]!.postMessage({ id, value }, transfer);
    });
  return {
    echo: <T>(value: T) => run(value) as Promise<T>,
    hand: (buffer) => run(buffer, [buffer]),
    close: () => workers.forEach((worker) => worker.terminate()),
  };
}
