import type { WorkerHandleOptions } from "./worker_handle_options.ts";

/** What the pool itself gives each of its workers. */
type GivenByPool = "onEnd" | "onFree" | "onGiveBack" | "reportsHeap";

/** How to make a pool: how to make its workers, and how many. Times are in milliseconds. */
export interface RunPoolOptions extends Omit<WorkerHandleOptions, GivenByPool> {
  /** So many workers are made at the start, and kept when they have nothing to do. */
  readonly minWorkers: number;
  /** The most workers that live at once, beside stuck ones. */
  readonly maxWorkers: number;
  /** How long a worker is kept with nothing to do. */
  readonly idleTimeout: number;
  /** After so many runs a worker is replaced. */
  readonly maxRunsPerWorker: number;
  /** After so long a life a worker is replaced. */
  readonly maxWorkerAge: number;
  /** With a heap of more bytes than this a worker is replaced. */
  readonly maxWorkerHeap: number;
}
