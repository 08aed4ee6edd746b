import { endsBusyWorker } from "./_probe.ts";
import type { Isolation } from "./isolation.ts";
import { canRunProcesses } from "./process_transport.ts";
import { endsBusyThreads } from "./thread_transport.ts";
import { webTransport } from "./web_transport.ts";

/** Long enough for a busy machine: where it works at all, it takes a few milliseconds. */
const BOUND = 1_000;

let answer: Promise<Record<Isolation, boolean>> | undefined;

/**
 * Finds out for each isolation whether this Deno can end a worker that never yields to its event
 * loop. No Deno promises it for threads, so it is tried, once in a process, on real workers that
 * loop: the first call takes about a second, and leaves nothing behind.
 *
 * What is `false` can be used all the same: such a worker is reported as stuck when it has to be
 * ended and does not yield. Only the isolation `"thread"` is refused where it is `false`, since that
 * is what it is for.
 *
 * @returns `true` for what can be ended whatever it does.
 *
 * @example
 * ```ts
 * import { canKillBusyWorker } from "@leash/leash";
 *
 * const can = await canKillBusyWorker();
 * console.log(can.thread ? "threads can be ended" : "use processes");
 * ```
 */
export async function canKillBusyWorker(): Promise<Readonly<Record<Isolation, boolean>>> {
  answer ??= probe();
  return { ...await answer };
}

async function probe(): Promise<Record<Isolation, boolean>> {
  const [worker, thread] = await Promise.all([
    endsBusyWorker(webTransport.launch, BOUND),
    endsBusyThreads(),
  ]);
  return { worker, thread, process: canRunProcesses() };
}
