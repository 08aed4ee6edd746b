import { Piscina } from "npm:piscina@5.3.2";
import type { Contestant } from "../_pool_contestant.ts";

/**
 * Its default way to wait is the fastest. On Deno it leaves the threads behind when the pool is
 * destroyed, parked and idle; they end with the process of the contestant.
 */
export function open(): Contestant {
  const pool = new Piscina({
    filename: new URL("./piscina_worker.ts", import.meta.url).href,
    minThreads: 1,
    maxThreads: 2,
    idleTimeout: 60_000,
    maxQueue: Infinity,
    concurrentTasksPerWorker: 10,
  });
  return {
    echo: (value) => pool.run(value, { name: "echo" }),
    hand: (buffer) => pool.run(buffer, { name: "measure", transferList: [buffer] }),
    hold: (lock, signal) => pool.run(lock, { name: "hold", signal }),
    close: () => pool.destroy(),
  };
}
