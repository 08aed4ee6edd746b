import { createBackoff } from "../base/backoff.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/** How an {@linkcode exponentialLimiter} waits. */
export interface ExponentialLimiterOptions {
  /** The wait after the first failure. Default: 5 ms. */
  base?: Duration;
  /** No wait is longer than this. Default: 1,000 seconds. */
  max?: Duration;
  /**
   * `"none"` (default): the whole wait. `"full"`: a random part of it, so that many keys that failed
   * together do not come back together.
   */
  jitter?: "full" | "none";
}

/**
 * Twice the wait after each failure of a key: 5, 10, 20, 40 … ms, up to 1,000 seconds from the 19th on.
 * It remembers one number for each key that has failed, until the key is forgotten.
 *
 * @param options The series.
 * @param random A source of numbers in [0, 1), for the jitter.
 * @throws {RangeError} When an option is out of range.
 *
 * @example
 * ```ts
 * import { exponentialLimiter } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const limiter = exponentialLimiter();
 * assertEquals([limiter.delay("a"), limiter.delay("a"), limiter.delay("b")], [5, 10, 5]);
 * limiter.forget("a");
 * assertEquals(limiter.delay("a"), 5);
 * ```
 */
export function exponentialLimiter(
  { base = 5, max = 1_000_000, jitter = "none" }: ExponentialLimiterOptions = {},
  random: () => number = Math.random,
): RateLimiter {
  const backoff = createBackoff({ initial: base, max, jitter }, random);
  const failures = new Map<string, number>();
  return {
    max: toMilliseconds(max, "max"),
    delay(key: string): number {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      return backoff(count);
    },
    failures: (key: string) => failures.get(key) ?? 0,
    forget: (key: string) => void failures.delete(key),
  };
}
