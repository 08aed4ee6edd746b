import type { BackoffOptions } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Duration } from "../base/duration.ts";
import type { EventSink } from "../base/events.ts";
import type { Isolation } from "../pool/isolation.ts";
import type { WorkerPermissions } from "../pool/permissions.ts";
import type { ControllerEvent } from "./controller_events.ts";
import type { RateLimiter } from "./rate_limiter.ts";
import type { Source } from "./source.ts";

/** When a controller warns that it goes round in circles. */
export interface HotLoopOptions {
  /** So many runs of one key, none of which failed. Default: 30. */
  runs?: number;
  /** In so much time. Default: 10 seconds. */
  within?: Duration;
}

/** How to make a {@linkcode Controller}. */
export interface ControllerOptions {
  /** The owner: when it aborts, the controller stops. It may have aborted already. */
  signal: AbortSignal;
  /** What it is called. Default: the module's file name without its extension. */
  name?: string;
  /** Where keys come from. Others can be added later. */
  sources?: readonly Source[];
  /** How many keys are reconciled at once. Default: 1. */
  concurrency?: number;
  /** How many of them in one worker. Default: 1. */
  concurrencyPerWorker?: number;
  /**
   * How long one run may take. Then it is told to stop, and after `gracePeriod` its worker is ended; the
   * key is tried again. Default: no limit.
   */
  timeout?: Duration;
  /**
   * How long a run that must stop may take to do so, and how long a stop of the controller leaves to
   * those that run. Default: 10 seconds.
   */
  gracePeriod?: Duration;
  /**
   * Whether what is queued when it stops is reconciled first, within the grace period; not what waits
   * for its time, and nothing while it is paused or not yet synced. Default: `false`.
   */
  drain?: boolean;
  /** All keys that the sources can list are queued again so often. Default: never. */
  resync?: Duration;
  /**
   * How long the sources may take to sync. After that the controller stops, and `finished` rejects.
   * Default: 2 minutes.
   */
  syncTimeout?: Duration;
  /** How long a key waits that has failed. Default: `exponentialLimiter()`, 5 ms to 1,000 s. */
  rateLimiter?: RateLimiter;
  /**
   * How long a key waits that has returned `pollBackoff`. Default: 1 second, then double each time, up
   * to 5 minutes, without jitter.
   */
  pollBackoff?: BackoffOptions;
  /** The least time from the begin of one run of a key to that of the next. Default: 0. */
  minInterval?: Duration;
  /** A run that takes longer is reported while it runs. Default: 1 minute. */
  slowAfter?: Duration;
  /** When to warn of a key that never rests; `false`: never. */
  hotLoop?: HotLoopOptions | false;
  /**
   * Asked before each run of a key: `false` puts it off by 100 ms, because what it would read is older
   * than what it wrote. `StaleReads` knows. Default: nothing is asked.
   */
  isFresh?: (key: string) => boolean;
  /**
   * `true`: the sources run and the queue fills, but nothing is reconciled before `resume()`. Default:
   * `false`.
   */
  paused?: boolean;
  /** What a worker is. Default: `"worker"`. */
  isolation?: Isolation;
  /** What the workers may do. Default: what this process may do. */
  permissions?: WorkerPermissions;
  /** The most memory that the heap of a worker may take, in bytes. Not with isolation `"worker"`. */
  memoryLimit?: number;
  /** So many workers are made at the start and kept. Default: 0. */
  minWorkers?: number;
  /** How long a worker is kept with nothing to do. Default: 30 seconds. */
  idleTimeout?: Duration;
  /** A worker is replaced after so many runs. Default: never. */
  maxRunsPerWorker?: number;
  /** How long loading the module may take. Default: 60 seconds. */
  readyTimeout?: Duration;
  /** How long to look for the death of a worker that was ended. Default: 2 seconds. */
  killTimeout?: Duration;
  /** Told of everything that happens. Default: problems go to stderr, a line each. */
  onEvent?: EventSink<ControllerEvent>;
  /** The time. Default: the computer's. */
  clock?: Clock;
}

/** How a controller stops. */
export interface CloseControllerOptions {
  /** As the option of the controller, in place of it. */
  drain?: boolean;
  /** How long that, and what runs, may take together. Default: that of the controller. */
  gracePeriod?: Duration;
  /** What runs see as the reason of their signal. */
  reason?: unknown;
}
