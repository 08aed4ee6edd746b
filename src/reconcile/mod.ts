/**
 * Loops that bring what is to what should be: a queue of keys that need work, and what stands around
 * it.
 *
 * @module
 */

export { type BackoffSteps, backoffSteps, type BackoffStepsOptions } from "./backoff_steps.ts";
export { exponentialLimiter, type ExponentialLimiterOptions } from "./exponential_limiter.ts";
export { fastSlowLimiter, type FastSlowLimiterOptions } from "./fast_slow_limiter.ts";
export { maxOfLimiter } from "./max_of_limiter.ts";
export { maxWaitLimiter } from "./max_wait_limiter.ts";
export { type NotYet, poll, type PollOptions } from "./poll.ts";
export { pollBackoff, type PollBackoffOptions } from "./poll_backoff.ts";
export type { RateLimiter } from "./rate_limiter.ts";
export { tokenBucketLimiter, type TokenBucketLimiterOptions } from "./token_bucket_limiter.ts";
export { until, type UntilOptions } from "./until.ts";
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
