import type { BackoffOptions } from "../base/backoff.ts";
import type { Duration } from "../base/duration.ts";
import type { Isolation } from "../pool/isolation.ts";
import type { WorkerPermissions } from "../pool/permissions.ts";
import type { Schedule } from "../schedule/schedule.ts";

/**
 * What happens when a run is due while another one of the task has not ended.
 *
 * `"skip"`: the new one is skipped. `"queue"`: one waits, further ones are skipped. `"replace"`: the
 * running one is aborted, and the new one begins when it is gone. `"allow"`: both run, up to
 * `maxConcurrent`; further ones are skipped.
 */
export type OverlapPolicy = "skip" | "queue" | "replace" | "allow";

/** Whether and when a run that did not succeed is tried again. */
export interface RetryOptions {
  /** How many times in all, the first one included. */
  maxAttempts: number;
  /** The waits between two attempts. */
  backoff?: BackoffOptions;
}

/** How a continuous task goes on after a failure, and when it is given up. */
export interface RestartOptions {
  /** More failures than this within the window: the task is given up. Default: 10. */
  maxRestarts?: number;
  /** The window. Default: 1 minute. */
  within?: Duration;
  /** The waits after failures; a success begins the series anew. */
  backoff?: BackoffOptions;
}

/** What a task is given beside its module. */
export interface BaseTaskOptions {
  /** Unique in the scheduler. Default: the module's file name without its extension. */
  name?: string;
  /** When it is due. */
  schedule: Schedule;
  /** How long one attempt may take, from the moment that the worker is told. Default: no limit. */
  timeout?: Duration;
  /**
   * How long a run that must stop may take to do so, before its worker is terminated. Default: the
   * scheduler's.
   */
  gracePeriod?: Duration;
  /**
   * Moves each run by a random part of the interval: 0.1 by up to a tenth. For `every` and `cron`, 0
   * to 1. Default: 0.
   */
  jitter?: number;
  /** What happens when a run is due while another has not ended. Default: `"skip"`. */
  overlap?: OverlapPolicy;
  /** For `overlap: "allow"`: how many runs at once. Default: the number of processors. */
  maxConcurrent?: number;
  /** Try again when a run fails, crashes or times out. Default: no. */
  retry?: RetryOptions;
  /** For `continuous` schedules: how to go on after a failure. */
  restart?: RestartOptions;
  /** What a worker of the task is: see {@linkcode Isolation}. Default: `"worker"`. */
  isolation?: Isolation;
  /**
   * What the worker may do. Default: what this process may do. With isolation `"worker"`, any value
   * needs `"unstable": ["worker-options"]` in `deno.json`. Not with isolation `"thread"`: all threads
   * of a process may do what the process may.
   */
  permissions?: WorkerPermissions;
  /**
   * The most memory that the JavaScript heap of a worker may take, in bytes, at least 16 MiB. At the
   * limit the worker ends, and the run crashes with a `WorkerOutOfMemoryError`. Typed arrays are not
   * counted. Not with isolation `"worker"`: there, a heap that is full ends the whole process.
   * Default: V8's own limit, some gigabytes.
   */
  memoryLimit?: number;
  /**
   * Further flags of `deno run` for isolation `"process"`, as in `["--import-map=map.json"]`: those
   * that this program was started with cannot be seen from inside of it. Its `deno.json` is found by
   * itself. Permissions are not given this way.
   */
  denoFlags?: readonly string[];
  /**
   * How long a worker is kept with nothing to do. It is kept after a run only if the next one is due
   * within this time. 0: a new worker for every run. Default: 30 seconds.
   */
  idleTimeout?: Duration;
  /** A worker is replaced after so many runs. Default: never. */
  maxRunsPerWorker?: number;
  /** How long loading the module may take. Default: 60 seconds. */
  readyTimeout?: Duration;
  /** Begin paused. Default: no. */
  paused?: boolean;
}

/** Options of a task; `input` is required when the task's first parameter is. */
export type TaskOptions<Input = unknown> =
  & BaseTaskOptions
  & (undefined extends Input ? {
      /** What each run gets as its first argument. It must be cloneable. */
      input?: Input;
    }
    : {
      /** What each run gets as its first argument. It must be cloneable. */
      input: Input;
    });
