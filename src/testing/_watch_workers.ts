import dc from "node:diagnostics_channel";
import { watch, workerBeingMade } from "./_scope.ts";
import { type Thread, threadOf, withThread } from "./_thread.ts";

interface NodeWorker {
  readonly threadId: number;
  once(event: "exit", listener: () => void): void;
}

const ALIVE = "not terminated";

/** Watches every `Worker` made through the global or through `node:worker_threads` from now on. */
export function watchWorkers(): Disposable {
  const Original = globalThis.Worker;
  const post = Original.prototype.postMessage;
  const Watched = new Proxy(Original, {
    construct(target, args, newTarget) {
      const [worker, thread] = withThread(() => Reflect.construct(target, args, newTarget));
      seen(args, () => !isOpen(worker, post), thread);
      return worker;
    },
  });
  globalThis.Worker = Watched;
  dc.subscribe("worker_threads", seenByNode);
  return {
    [Symbol.dispose]: () => {
      dc.unsubscribe("worker_threads", seenByNode);
      // Somebody else's may be in its place by now. Ours then watches nothing any more.
      if (globalThis.Worker === Watched) globalThis.Worker = Original;
    },
  };
}

function seen(
  [url, options]: unknown[],
  isTerminated: () => boolean,
  thread: Thread | undefined,
): void {
  const owner = workerBeingMade();
  if (owner !== undefined) return void (owner.thread = thread);
  const name = (options as WorkerOptions | undefined)?.name;
  watch({
    what: "Worker",
    name: () => name || short(String(url)),
    state: () => isTerminated() ? afterlife(thread) : ALIVE,
    isTerminated,
    thread,
  });
}

/** The module's exports cannot be replaced, but it tells of each worker. */
function seenByNode(message: unknown): void {
  const { worker } = message as { worker: NodeWorker };
  const id = worker.threadId;
  const thread = threadOf(id);
  const owner = workerBeingMade();
  if (owner !== undefined) return void (owner.thread = thread);
  let exited = false;
  worker.once("exit", () => exited = true);
  watch({
    what: "node:worker_threads Worker",
    name: () => `${id}`,
    state: () => exited ? afterlife(thread) : ALIVE,
    isTerminated: () => exited,
    thread,
  });
}

/** A worker that has ended is gone, unless it can be seen that its thread is not. */
function afterlife(thread: Thread | undefined): string | undefined {
  return thread?.look() ? "terminated, but its thread lives on" : undefined;
}

/**
 * Whether the worker neither was terminated, nor closed itself, nor crashed. Nothing says so but
 * this: what cannot be cloned is refused, and so never sent, as long as the worker is open.
 */
function isOpen(worker: Worker, post: Worker["postMessage"]): boolean {
  try {
    post.call(worker, Symbol());
    return false;
  } catch {
    return true;
  }
}

function short(url: string): string {
  return url.length > 80 ? `${url.slice(0, 79)}…` : url;
}
