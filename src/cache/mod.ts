/**
 * Caches whose entries expire, swept without holding up the event loop, and owned by a signal.
 *
 * @module
 */

export { type KeyedEntry, KeyedTtlCache } from "./keyed_ttl_cache.ts";
export type { RemovalCause } from "./removal_cause.ts";
export { TtlCache } from "./ttl_cache.ts";
export type {
  TtlCacheOptions,
  TtlCacheStats,
  TtlLoadContext,
  TtlLoadOptions,
  TtlSetOptions,
} from "./ttl_cache_options.ts";
export { SharedCache } from "./shared_cache.ts";
export { isSharedCacheHandle, type SharedCacheHandle } from "./shared_cache_handle.ts";
export type {
  SharedAttachOptions,
  SharedCacheOptions,
  SharedCacheStats,
  SharedCodec,
  SharedLoadContext,
  SharedLoadOptions,
  SharedSetOptions,
} from "./shared_cache_options.ts";
