import type { Clock } from "../base/clock.ts";
import type { Duration } from "../base/duration.ts";
import type { EventSink } from "../base/events.ts";
import type { LogLevel } from "../protocol/messages.ts";
import type { WorkerEvent } from "./events.ts";
import type { Isolation } from "./isolation.ts";
import type { WorkerPermissions } from "./permissions.ts";

/** How to make a {@linkcode WorkerPool}. */
export interface WorkerPoolOptions {
  /** The owner: when it aborts, the pool stops. It may have aborted already. */
  signal: AbortSignal;
  /** What its workers are called. Default: the module's file name without its extension. */
  name?: string;
  /**
   * How many workers. `min` (default 0) are made at the start and kept; further ones are made when
   * runs need them, up to `max` (default: the number of processors; at most 32 for each).
   */
  size?: { min?: number; max?: number };
  /**
   * How many runs are under way at once in one worker, for tasks that wait for something most of
   * their time. A run that has to be killed takes its worker with it: those that had begun beside it
   * reject with a `WorkerCrashedError`, those that had not are run elsewhere. Default: 1.
   */
  concurrencyPerWorker?: number;
  /** How many runs may wait beside those that workers have. Default: no limit. */
  maxQueue?: number;
  /** How long a worker is kept with nothing to do. Default: 30 seconds. */
  idleTimeout?: Duration;
  /** A worker is replaced after so many runs. Default: never. */
  maxRunsPerWorker?: number;
  /** A worker is replaced when it is so old and has nothing to do. Default: never. */
  maxWorkerAge?: Duration;
  /**
   * A worker is replaced when its heap has grown over so many bytes, and it has nothing to do. Unlike
   * `memoryLimit` this is no wall, and works with every isolation. Default: never.
   */
  maxWorkerHeap?: number;
  /**
   * A worker that has runs, and whose event loop shows no sign of life for so long, hangs: a
   * `worker-hung` event says so. `ctx.checkpoint()` and `ctx.progress()` are signs of life too.
   * Default: not watched.
   */
  heartbeatTimeout?: Duration;
  /**
   * What happens to a worker that hangs: `"report"` (default), or `"kill"`; then its run rejects with
   * a `WorkerCrashedError`.
   */
  onHang?: "report" | "kill";
  /** What a worker is. Default: `"worker"`. */
  isolation?: Isolation;
  /**
   * What the workers may do. Default: what this process may do. With isolation `"worker"` any value
   * needs `"unstable": ["worker-options"]` in `deno.json`.
   */
  permissions?: WorkerPermissions;
  /** The most memory that the heap of a worker may take, in bytes. Not with isolation `"worker"`. */
  memoryLimit?: number;
  /** Further flags of `deno run`, for isolation `"process"`: see the same option of a task. */
  denoFlags?: readonly string[];
  /** How long a run that must stop may take to do so, before its worker is ended. Default: 10 s. */
  gracePeriod?: Duration;
  /** How long loading the module may take. Default: 60 seconds. */
  readyTimeout?: Duration;
  /** How long to look for the death of a worker that was ended. Default: 2 seconds. */
  killTimeout?: Duration;
  /** Told of what happens to workers. Default: problems go to stderr, a line each. */
  onEvent?: EventSink<WorkerEvent>;
  /** The time. Default: the computer's. */
  clock?: Clock;
}

/** How to do one run of a pool. */
export interface PoolRunOptions {
  /** Aborts this run and no other. */
  signal?: AbortSignal;
  /** How long the run may take, from the moment that a worker is told. Default: no limit. */
  timeout?: Duration;
  /** How long it may take to stop when it must. Default: that of the pool. */
  gracePeriod?: Duration;
  /**
   * Larger is sooner. Waiting raises it by one each second, so that nothing waits for ever. Default:
   * 0.
   */
  priority?: number;
  /** What is moved to the worker and not copied. It is gone here, also when the run fails. */
  transfer?: Transferable[];
  /** Told how far the run is. */
  onProgress?: (done: number, total: number | undefined) => void;
  /** Told what the run logs. */
  onLog?: (level: LogLevel, message: string, data: unknown) => void;
}

/** How to run a task over many inputs. */
export interface PoolMapOptions extends Omit<PoolRunOptions, "transfer" | "onProgress" | "onLog"> {
  /** How many are in the pool at once. Default: twice what its workers can do at once. */
  concurrency?: number;
  /** `true` (default): results come in the order of the inputs. `false`: as they are ready. */
  ordered?: boolean;
}
