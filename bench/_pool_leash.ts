import { WorkerPool } from "../mod.ts";
import { ISOLATIONS } from "../src/pool/isolation.ts";
import { type Contestant, type Isolation, NotBuiltError } from "./_pool_contestant.ts";
import type { EchoInput } from "./_pool_echo.ts";

/** The pool of Leash. */
export function open(isolation: Isolation): Contestant {
  const known = ISOLATIONS.find((one) => one === isolation);
  if (known === undefined) throw new NotBuiltError(`there is no isolation "${isolation}"`);
  const owner = new AbortController();
  const pool = new WorkerPool<typeof import("./_pool_echo.ts")>(
    new URL("./_pool_echo.ts", import.meta.url),
    { signal: owner.signal, size: { min: 0, max: 2 }, isolation: known },
  );
  return {
    echo: <T>(value: T) => pool.run(value as EchoInput) as Promise<T>,
    hand: (buffer) => pool.run(buffer, { transfer: [buffer] }),
    hold: (lock, signal) => pool.run({ hold: lock }, { signal, gracePeriod: 0 }),
    spin: (signal) => pool.run({ spin: true }, { signal, gracePeriod: 0 }),
    close: () => pool.close(),
  };
}
