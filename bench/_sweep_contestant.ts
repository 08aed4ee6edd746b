/** One cache under test. Times in milliseconds. */
export interface Cache {
  set(key: string, value: string, ttl: number): void;
  get(key: string): string | undefined;
  /** With those that have expired and are still there. */
  size(): number;
  /** Entries that sweeps have removed so far, where `size()` cannot tell. */
  removed?(): number;
  /** Entries that it has lost so far, before their time, where that may happen below its limit. */
  lost?(): number;
  /** Removes what has expired, in one go: in this thread, or in another one. */
  sweep?(): void | Promise<void>;
  /** Lets go of what keeps it alive. */
  close?(): void | Promise<void>;
}

/** What the module of a contestant exports. */
export interface CacheModule {
  /** Makes a cache for so many entries. Rejects when there is no such package here. */
  open(entries: number): Cache | Promise<Cache>;
}

/**
 * How a cache comes to be swept. `"called"`: somebody calls a function, which does all of it.
 * `"itself"`: a timer of its own, now and then. `"timers"`: each entry has a timer. `"worker"`: another
 * thread does it.
 */
export type Sweeping = "called" | "itself" | "timers" | "worker";

interface Description {
  readonly title: string;
  readonly module: string;
  readonly sweeping: Sweeping;
  /** In words, and what it cannot do. */
  readonly remark: string;
}

/** All contestants, by the name for `--only`. */
export const CONTESTANTS = {
  leash: {
    title: "TtlCache",
    module: "./_sweep_leash.ts",
    sweeping: "itself",
    remark: "a timer of its own, slices of 1 ms",
  },
  "leash-lru": {
    title: "TtlCache, maxSize",
    module: "./_sweep_leash_lru.ts",
    sweeping: "itself",
    remark: "the same, and the order of use",
  },
  "leash-stall": {
    title: "TtlCache, maxStall",
    module: "./_sweep_leash_stall.ts",
    sweeping: "itself",
    remark: "the same; reads in one piece of code share a look at the clock",
  },
  shared: {
    title: "SharedCache",
    module: "./_sweep_shared.ts",
    sweeping: "worker",
    remark: "a task in its worker; values are strings, copied in and out",
  },
  map: {
    title: "Map by hand",
    module: "./_sweep_map.ts",
    sweeping: "called",
    remark: "a loop over all of it",
  },
  "lru-cache": {
    title: "lru-cache",
    module: "./peers/cache_lru.ts",
    sweeping: "called",
    remark: "purgeStale(), which somebody must call",
  },
  autopurge: {
    title: "lru-cache, autopurge",
    module: "./peers/cache_lru_autopurge.ts",
    sweeping: "timers",
    remark: "ttlAutopurge: no sweep, a timer for each entry",
  },
  ttlcache: {
    title: "@isaacs/ttlcache",
    module: "./peers/cache_ttlcache.ts",
    sweeping: "called",
    remark: "purgeStale(), which its timer calls; checkAgeOnGet is on",
  },
  "node-cache": {
    title: "node-cache",
    module: "./peers/cache_node.ts",
    sweeping: "called",
    remark: "what its checkperiod calls; useClones is off",
  },
  cacheable: {
    title: "@cacheable/memory",
    module: "./peers/cache_cacheable.ts",
    sweeping: "called",
    remark: "what its checkInterval calls; useClone is off",
  },
  std: {
    title: "@std/cache",
    module: "./peers/cache_std.ts",
    sweeping: "timers",
    remark: "no sweep, a timer for each entry; reads do not look at the age",
  },
} as const satisfies Record<string, Description>;

/** The name of a contestant. */
export type ContestantName = keyof typeof CONTESTANTS;
