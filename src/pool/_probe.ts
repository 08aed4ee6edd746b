import type { Transport, TransportKind } from "./transport.ts";
import { throughSpawnGate } from "./spawn_gate.ts";

/** How long starting a worker may take, in milliseconds. */
const START_TIMEOUT = 20_000;

/**
 * Finds out whether this Deno ends a worker that never yields, by trying it on a real one. If it does
 * not, that worker ends by itself a little later.
 *
 * @param launch How to start a worker.
 * @param bound How long to wait for its death, in milliseconds. Nothing else depends on the speed of
 * the machine.
 * @returns Whether the worker was seen to die in the midst of its loop.
 */
export async function endsBusyWorker(
  launch: TransportKind["launch"],
  bound: number,
): Promise<boolean> {
  const busy = Promise.withResolvers<boolean>();
  const watch = new AbortController();
  const name = `leash-probe:${crypto.randomUUID()}`;
  let transport: Transport;
  try {
    transport = await throughSpawnGate(() =>
      launch({
        module: spinFor(2 * bound),
        name,
        lock: name,
        permissions: undefined,
        memoryLimit: undefined,
      }, {
        message: () => {},
        foreignMessage: () => busy.resolve(true),
        error: () => busy.resolve(false),
        outOfMemory: () => busy.resolve(false),
        output: () => {},
      })
    );
  } catch {
    // Not permitted. Whoever starts a worker is told why.
    return false;
  }
  const death = transport.death(watch.signal).then(() => true, () => false);
  const isBusy = await within(START_TIMEOUT, busy.promise);
  transport.terminate();
  const died = await within(bound, death);
  watch.abort();
  return isBusy && died;
}

/** A task module that says a word and then loops while it is loaded. */
function spinFor(milliseconds: number): string {
  return "data:text/javascript," + encodeURIComponent(
    `postMessage("busy"); const end = Date.now() + ${milliseconds}; while (Date.now() < end);\n` +
      `export default () => {};`,
  );
}

async function within(limit: number, promise: Promise<boolean>): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), limit);
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
