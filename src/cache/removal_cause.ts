/**
 * Why an entry is gone: its time was over (`expired`), the cache was full (`evicted`), it was asked
 * for (`deleted`, `cleared`), or another value took its place (`replaced`).
 */
export type RemovalCause = "expired" | "evicted" | "deleted" | "replaced" | "cleared";
