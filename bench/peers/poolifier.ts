import { FixedThreadPool } from "npm:poolifier-web-worker@0.5.15";
import type { Contestant } from "../_pool_contestant.ts";

/** Without its queue, as is its default, and faster. */
export function open(): Contestant {
  const pool = new FixedThreadPool<unknown, unknown>(
    2,
    new URL("./poolifier_worker.ts", import.meta.url),
  );
  return {
    echo: <T>(value: T) => pool.execute(value, "echo") as Promise<T>,
    hand: (buffer) => pool.execute(buffer, "measure", undefined, [buffer]),
    hold: (lock, signal) => pool.execute(lock, "hold", signal),
    close: () => pool.destroy(),
  };
}
