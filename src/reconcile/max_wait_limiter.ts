import { type Duration, toMilliseconds } from "../base/duration.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/**
 * Another limiter whose waits are cut to a longest one.
 *
 * @param limiter Whose waits.
 * @param max The longest.
 * @throws {RangeError} When `max` is out of range.
 *
 * @example
 * ```ts
 * import { fastSlowLimiter, maxWaitLimiter } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const limiter = maxWaitLimiter(fastSlowLimiter({ attempts: 1 }), { seconds: 2 });
 * assertEquals([limiter.delay("a"), limiter.delay("a")], [5, 2_000]);
 * ```
 */
export function maxWaitLimiter(limiter: RateLimiter, max: Duration): RateLimiter {
  const longest = toMilliseconds(max, "max");
  return {
    max: longest,
    delay: (key: string) => Math.min(longest, limiter.delay(key)),
    failures: (key: string) => limiter.failures(key),
    forget: (key: string) => limiter.forget(key),
  };
}
