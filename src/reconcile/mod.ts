/**
 * Loops that bring what is to what should be: a queue of keys that need work, and what stands around
 * it.
 *
 * @module
 */

export { exponentialLimiter, type ExponentialLimiterOptions } from "./exponential_limiter.ts";
export type { RateLimiter } from "./rate_limiter.ts";
export type { WorkItem } from "./work_item.ts";
export { type StopMode, type WorkLeft, WorkLeftError } from "./work_left.ts";
export { WorkQueue } from "./work_queue.ts";
export type { AddOptions, StopQueueOptions, WorkQueueOptions } from "./work_queue_options.ts";
export type {
  DelayedWork,
  QueuedWork,
  WorkInHand,
  WorkQueueCounters,
  WorkQueueSnapshot,
} from "./work_queue_snapshot.ts";
