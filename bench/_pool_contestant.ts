/** A pool of two workers, as the bench drives it. */
export interface Contestant {
  /** Gives the value back, through a worker. */
  echo<T>(value: T): Promise<T>;
  /** Transfers the buffer to a worker, which gives its length back. */
  hand?(buffer: ArrayBuffer): Promise<unknown>;
  /**
   * Runs a task that holds the Web Lock and waits for ever. The promise settles when the contestant
   * takes the run for ended. Not there where a running task cannot be aborted.
   */
  hold?(lock: string, signal: AbortSignal): Promise<unknown>;
  /** Runs a task that never yields. */
  spin?(signal: AbortSignal): Promise<unknown>;
  /** Ends the workers. */
  close(): Promise<unknown> | void;
}

/** What the workers are, for the contestant that has more than one kind. */
export type Isolation = "worker" | "thread" | "process";

/** What the module of a contestant exports. */
export interface ContestantModule {
  /** Makes the pool. */
  open(isolation: Isolation): Contestant | Promise<Contestant>;
}

/** The contestant is not written yet. */
export class NotBuiltError extends Error {
  override readonly name = "NotBuiltError";
}

/** The modules, in the order of the tables. */
export const CONTESTANTS = {
  leash: { title: "Leash", module: "./_pool_leash.ts" },
  batched: { title: "by hand, batches of 64", module: "./_pool_batched.ts" },
  posted: { title: "by hand, one message a task", module: "./_pool_posted.ts" },
  bare: { title: "bare Worker", module: "./_pool_bare.ts" },
  piscina: { title: "piscina 5.3.2", module: "./peers/piscina.ts" },
  workerpool: { title: "workerpool 10.0.3", module: "./peers/workerpool.ts" },
  poolifier: { title: "poolifier-web-worker 0.5.15", module: "./peers/poolifier.ts" },
  comlink: { title: "comlink 4.4.2, two workers", module: "./peers/comlink.ts" },
} as const satisfies Record<string, { title: string; module: string }>;

/** The name of a contestant. */
export type ContestantName = keyof typeof CONTESTANTS;

/** What people use today. */
export const PEERS: readonly ContestantName[] = ["piscina", "workerpool", "poolifier", "comlink"];
