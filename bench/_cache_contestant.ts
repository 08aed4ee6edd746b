/** What is stored. */
export interface Value {
  readonly id: number;
  readonly name: string;
}

/** One cache under test. Times in milliseconds. */
export interface Cache {
  set(key: string, value: Value, ttl: number): void;
  get(key: string): Value | undefined;
  /** With those that have expired and are still there. */
  size(): number;
  /** Removes what has expired, in one go. Without it, the cache does so by itself, soon. */
  sweep?(): void;
  /** Lets go of what keeps it alive. */
  close?(): void;
}

/** What the module of a contestant exports. */
export interface CacheModule {
  /** Makes a cache for so many entries. */
  open(entries: number): Cache;
}

/** All contestants, by the name for `--only`. */
export const CONTESTANTS = {
  leash: { title: "leash", module: "./_cache_leash.ts" },
  "leash-lru": { title: "leash, maxSize", module: "./_cache_leash_lru.ts" },
  "lru-cache": { title: "lru-cache 11", module: "./peers/cache_lru.ts" },
  ttlcache: { title: "@isaacs/ttlcache 2", module: "./peers/cache_ttlcache.ts" },
  "node-cache": { title: "node-cache 5", module: "./peers/cache_node.ts" },
  map: { title: "Map by hand", module: "./_cache_map.ts" },
} as const;

/** The name of a contestant. */
export type ContestantName = keyof typeof CONTESTANTS;
