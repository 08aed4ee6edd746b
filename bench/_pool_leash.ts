import type { EchoInput } from "./_pool_echo.ts";
import { ISOLATIONS } from "../src/pool/isolation.ts";
import { type Contestant, type Isolation, NotBuiltError } from "./_pool_contestant.ts";

/** As much of the pool as the bench uses. It is looked up, for it may not be there yet. */
interface Pool {
  run(input: EchoInput, options?: {
    signal?: AbortSignal;
    transfer?: ArrayBuffer[];
    gracePeriod?: number;
  }): Promise<unknown>;
  close(): Promise<void>;
}

type PoolClass = new (module: URL, options: {
  signal: AbortSignal;
  size: { min: number; max: number };
  isolation: Isolation;
}) => Pool;

/** The pool of Leash. */
export async function open(isolation: Isolation): Promise<Contestant> {
  const { WorkerPool } = await import("../mod.ts") as { WorkerPool?: PoolClass };
  if (WorkerPool === undefined) throw new NotBuiltError("mod.ts exports no WorkerPool");
  if (!(ISOLATIONS as readonly string[]).includes(isolation)) {
    throw new NotBuiltError(`there is no isolation "${isolation}"`);
  }
  const owner = new AbortController();
  const pool = new WorkerPool(new URL("./_pool_echo.ts", import.meta.url), {
    signal: owner.signal,
    size: { min: 0, max: 2 },
    isolation,
  });
  return {
    echo: <T>(value: T) => pool.run(value as EchoInput) as Promise<T>,
    hand: (buffer) => pool.run(buffer, { transfer: [buffer] }),
    hold: (lock, signal) => pool.run({ hold: lock }, { signal, gracePeriod: 0 }),
    spin: (signal) => pool.run({ spin: true }, { signal, gracePeriod: 0 }),
    close: () => pool.close(),
  };
}
