import { webLocks } from "../base/web_locks.ts";

/** A worker of Leash's that lives in this process. */
export interface LiveWorker {
  /** The worker's name: the task's name and a number. */
  readonly worker: string;
  /** The task that it was made for. */
  readonly task: string;
}

const PREFIX = "leash:";

/** Tells the workers of this copy of Leash from those of any other in the process. */
const INSTANCE: string = crypto.randomUUID();

let count = 0;

/** A name for a new worker, and for the lock that it holds as long as it lives. */
export function nameWorker(task: string): { worker: string; lock: string } {
  const worker = `${task}#${++count}`;
  return { worker, lock: `${PREFIX}${INSTANCE}:${worker}` };
}

/**
 * Lists all workers of Leash's in this process that are alive, whoever owns them, also those that
 * were terminated and run on. It asks the runtime, not a list of ours.
 *
 * @returns The workers, in no order.
 *
 * @example
 * ```ts
 * import { liveWorkers } from "@leash/leash";
 *
 * console.log("workers alive:", (await liveWorkers()).length);
 * ```
 */
export async function liveWorkers(): Promise<LiveWorker[]> {
  const { held = [] } = await webLocks().query();
  const live: LiveWorker[] = [];
  for (const { name = "" } of held) {
    const match = /^leash:[^:]*:((.*)#\d+)$/s.exec(name);
    // While the parent looks whether a worker is dead, it holds the lock for a moment itself.
    if (match) live.push({ worker: match[1]!, task: match[2]! });
  }
  return live;
}
