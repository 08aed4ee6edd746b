import type { Cache } from "../_sweep_contestant.ts";

/** As much of it as is used here: its types come from JSR as well. */
interface StdCache extends Map<string, string> {
  set(key: string, value: string, options?: { ttl: number }): this;
}

/** Not a literal: where JSR does not answer, everything else must work. */
const SPECIFIER = ["jsr:@std/cache@^0.2.4", "ttl-cache"].join("/");

/** It does not look at the age on reads: what its timer has not removed yet is returned. */
export async function open(): Promise<Cache> {
  const { TtlCache } = await import(SPECIFIER).catch((cause) => {
    throw new Error("JSR does not answer", { cause });
  }) as { TtlCache: new (ttl: number) => StdCache };
  const cache = new TtlCache(3_600_000);
  return {
    set: (key, value, ttl) => void cache.set(key, value, { ttl }),
    get: (key) => cache.get(key),
    size: () => cache.size,
    close: () => cache.clear(),
  };
}
