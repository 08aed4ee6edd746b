import type { Cache } from "./_sweep_contestant.ts";
import { open as openExact } from "./_sweep_leash.ts";

/** With a promise, so that reads share a look at the clock, as those of lru-cache do for a millisecond. */
export function open(entries: number): Cache {
  return openExact(entries, { maxStall: 1_000 });
}
