import type { Cache } from "./_sweep_contestant.ts";
import { open as openUnlimited } from "./_sweep_leash.ts";

/** With an order of use, which lru-cache always keeps. */
export function open(entries: number): Cache {
  return openUnlimited(entries, { maxSize: entries });
}
