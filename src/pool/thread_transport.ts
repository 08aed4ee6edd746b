import type { ResourceLimits } from "node:worker_threads";
import { onAbort } from "../base/on_abort.ts";
import { plainText } from "../base/plain_text.ts";
import { holdLock } from "../base/web_locks.ts";
import { type FromWorker, isMessage } from "../protocol/messages.ts";
import type { ThreadData } from "../worker/thread_entry.ts";
import { listen } from "../worker/thread_port.ts";
import { memorySplit } from "./_memory.ts";
import { endsBusyWorker } from "./_probe.ts";
import { trampoline } from "./_trampoline.ts";
import type { Launch, Transport, TransportHandlers, TransportKind } from "./transport.ts";

const ENTRY = new URL("../worker/thread_entry.ts", import.meta.url).href;

/** Never called. It puts the worker's first module in this module's graph. */
export const _entry = (): Promise<unknown> => import("../worker/thread_entry.ts");

/** Deno's types do not know it yet. In microseconds. */
interface CpuUsage {
  cpuUsage(): Promise<{ user: number; system: number }>;
}

/** Loaded when the first thread is needed: most programs have none. */
let threads: typeof import("node:worker_threads");

/**
 * A worker of `node:worker_threads` that holds a lock, which is why Deno really ends it when it is
 * terminated, whatever it is doing.
 *
 * That lock is given back by the parent at that moment, so it is no evidence of anything, and neither
 * is the worker's `exit` event. What is evidence is the channel: its other end is closed when the
 * thread drops it, after the last code of the task. So a thread that sits in a call of the operating
 * system is not taken for dead. A second lock, held here, stands for the worker until then.
 */
export const threadTransport: TransportKind = {
  isolation: "thread",
  sharesMemory: true,
  async prepare() {
    if (!await endsBusyThreads()) throw refusal();
  },
  launch,
};

/** Where it works, it takes some 20 ms; where it does not, a loop goes on for twice this long. */
const BOUND = 3_000;

let probed: Promise<boolean> | undefined;

/** Whether this Deno really ends a busy thread. It is tried once in a process. */
export function endsBusyThreads(): Promise<boolean> {
  return probed ??= (async () => {
    threads = await import("node:worker_threads");
    return await endsBusyWorker(launch, BOUND);
  })();
}

/** Why threads cannot be used. */
export function refusal(): Error {
  return new Error(
    `Cannot use isolation "thread": a busy thread was not ended when that was tried, and to end ` +
      `such threads is all that it is for: received Deno ${Deno.version.deno}. Use "process", which ` +
      `can always be ended, or "worker" with ctx.checkpoint() in the loops of the task`,
  );
}

function launch(launch: Launch, handlers: TransportHandlers): Transport {
  const { port1: port, port2 } = new threads.MessageChannel();
  const data: ThreadData = {
    port: port2,
    lock: `leash-thread:${crypto.randomUUID()}`,
    limited: launch.memoryLimit !== undefined,
  };
  const worker = new threads.Worker(
    new URL(
      `data:text/javascript,${encodeURIComponent(trampoline(ENTRY, [], launch))}`,
    ),
    {
      name: launch.name,
      workerData: data,
      transferList: [port2],
      ...(launch.memoryLimit === undefined
        ? {}
        : { resourceLimits: resourceLimits(launch.memoryLimit) }),
    },
  );
  const life = holdLock(launch.lock);
  const closed = Promise.withResolvers<void>();
  // Also when nobody waits for it any more: until then the worker is listed as alive.
  const gone = closed.promise.then(async () => {
    port.close();
    await life.release();
  });
  listen(port, (message) => {
    if (isMessage(message)) handlers.message(message as FromWorker);
  });
  port.on("close", () => closed.resolve());
  worker.on("message", (data: unknown) => handlers.foreignMessage(data));
  worker.on("error", (error: Error & { code?: string }) => {
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") handlers.outOfMemory();
    else handlers.error(Object.assign(error, { message: plainText(error.message) }));
  });
  return {
    post: (message, transfer) => port.postMessage(message, transfer as ArrayBuffer[] ?? []),
    terminate: () => void worker.terminate(),
    async death(signal) {
      const givenUp = Promise.withResolvers<void>();
      using _listening = onAbort(signal, givenUp.reject);
      await Promise.race([gone, givenUp.promise]);
      return {};
    },
    async cpuTime() {
      try {
        const { user, system } = await (worker as unknown as CpuUsage).cpuUsage();
        return (user + system) / 1_000;
      } catch {
        return undefined;
      }
    },
  };
}

function resourceLimits(bytes: number): ResourceLimits {
  const { young, old } = memorySplit(bytes);
  return { maxYoungGenerationSizeMb: young, maxOldGenerationSizeMb: old };
}
