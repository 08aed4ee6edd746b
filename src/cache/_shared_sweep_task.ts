/**
 * The task that sweeps a SharedCache: it runs in a worker, so that the main thread does nothing for it.
 *
 * @module
 */

import { openStore } from "./_shared_memory.ts";
import type { SharedStore } from "./_shared_store.ts";
import type { SharedCacheHandle } from "./shared_cache_handle.ts";

/** Kept between runs: the views of a big buffer are not free. A worker sweeps one cache. */
let store: SharedStore | undefined;

/** Sweeps once, and returns how many entries that released. */
export default function sweep(handle: SharedCacheHandle): number {
  store ??= openStore(handle);
  return store.sweep();
}
