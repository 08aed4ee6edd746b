import workerpool from "npm:workerpool@10.0.3";
import type { Contestant } from "../_pool_contestant.ts";

/**
 * With threads of `node:worker_threads`: its Web Workers do not start on Deno. Deno looks at each
 * element of a typed array that goes to such a thread, which is why bytes are slow here.
 */
export function open(): Contestant {
  const pool = workerpool.pool(`${import.meta.dirname}/workerpool_worker.ts`, {
    maxWorkers: 2,
    workerType: "thread",
  });
  return {
    echo: <T>(value: T) => run("echo", [value]) as Promise<T>,
    hand: (buffer) => run("measure", [buffer], { transfer: [buffer] }),
    hold: (lock, signal) => {
      const task = run("hold", [lock]);
      signal.addEventListener("abort", () => task.cancel());
      return task;
    },
    close: () => pool.terminate(true) as unknown as Promise<unknown>,
  };

  /** What it gives is a promise of its own kind. */
  function run(name: string, args: unknown[], options?: { transfer: object[] }) {
    return pool.exec(name, args, options) as unknown as Promise<unknown> & { cancel(): unknown };
  }
}
