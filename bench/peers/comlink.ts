import * as Comlink from "npm:comlink@4.4.2";
import type { Contestant } from "../_pool_contestant.ts";
import type * as tasks from "./tasks.ts";

/** It is no pool: two workers in turn. */
export function open(): Contestant {
  const workers = [0, 1].map(() =>
    new Worker(new URL("./comlink_worker.ts", import.meta.url), { type: "module" })
  );
  const [one, other] = workers.map((worker) => Comlink.wrap<typeof tasks>(worker));
  let count = 0;
  const next = () => (count++ & 1 ? other : one)!;
  return {
    echo: <T>(value: T) => next().echo(value) as Promise<T>,
    hand: (buffer) => next().measure(Comlink.transfer(buffer, [buffer])),
    close: () => workers.forEach((worker) => worker.terminate()),
  };
}
