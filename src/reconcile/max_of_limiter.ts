import type { RateLimiter } from "./rate_limiter.ts";

/**
 * The longest of all waits: each limiter counts each failure.
 *
 * @param limiters At least one.
 * @throws {TypeError} When there is none.
 *
 * @example
 * ```ts
 * import { exponentialLimiter, maxOfLimiter, tokenBucketLimiter } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * // What controllers in Go use: slower for each key that fails, and 10/s for all of them.
 * const limiter = maxOfLimiter(exponentialLimiter(), tokenBucketLimiter());
 * assertEquals(limiter.delay("a"), 5);
 * ```
 */
export function maxOfLimiter(...limiters: RateLimiter[]): RateLimiter {
  if (limiters.length === 0) {
    throw new TypeError("Cannot take the longest wait: expected rate limiters: received none");
  }
  return {
    delay: (key: string) => Math.max(...limiters.map((limiter) => limiter.delay(key))),
    failures: (key: string) => Math.max(...limiters.map((limiter) => limiter.failures(key))),
    forget: (key: string) => {
      for (const limiter of limiters) limiter.forget(key);
    },
  };
}
