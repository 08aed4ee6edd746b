import type { Contestant } from "./_pool_contestant.ts";

/** The most tasks in one message. */
const BATCH = 64;

/**
 * Two Web Workers; what is asked for in one turn of the event loop goes in messages of up to 64 tasks,
 * and so do the answers. It does nothing else: no errors, no aborts, no limits. This is about as fast
 * as messages can be.
 *
 * A task goes to the worker with less to do, and not to both in turn: that would halve the batches
 * with each answer, down to messages of one task.
 */
export function open(): Contestant {
  const pending = new Map<number, (value: unknown) => void>();
  const sides = [0, 1].map(() => {
    const worker = new Worker(new URL("./_pool_hand_worker.ts", import.meta.url), {
      type: "module",
    });
    worker.onmessage = ({ data }: MessageEvent<unknown[]>) => {
      for (let index = 0; index < data.length; index += 2) {
        const id = data[index] as number;
        pending.get(id)!(data[index + 1]);
        pending.delete(id);
      }
      side.outstanding -= data.length / 2;
    };
    const side = { worker, outstanding: 0, batch: [] as unknown[], transfer: [] as Transferable[] };
    return side;
  });
  const [one, other] = sides as [Side, Side];
  type Side = typeof sides[number];
  const send = (side: Side) => {
    if (side.batch.length === 0) return;
    side.worker.postMessage(side.batch, side.transfer);
    side.batch = [];
    side.transfer = [];
  };
  let count = 0;
  const run = (value: unknown, transfer?: Transferable) =>
    new Promise<unknown>((resolve) => {
      const id = count++;
      const side = one.outstanding <= other.outstanding ? one : other;
      side.outstanding++;
      pending.set(id, resolve);
      if (side.batch.length === 0) queueMicrotask(() => send(side));
      side.batch.push(id, value);
      if (transfer !== undefined) side.transfer.push(transfer);
      if (side.batch.length === BATCH * 2) send(side);
    });
  return {
    echo: <T>(value: T) => run(value) as Promise<T>,
    hand: (buffer) => run(buffer, buffer),
    close: () => sides.forEach(({ worker }) => worker.terminate()),
  };
}
