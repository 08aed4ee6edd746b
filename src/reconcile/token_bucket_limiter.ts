import { type Clock, systemClock } from "../base/clock.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/** How fast a {@linkcode tokenBucketLimiter} lets keys pass. */
export interface TokenBucketLimiterOptions {
  /** How many pass each second in the long run. Default: 10. */
  rate?: number;
  /** How many pass at once after a quiet time. Default: 100. */
  burst?: number;
  /** Where it reads the time. Default: `systemClock`. */
  clock?: Clock;
}

/**
 * One rate for all keys together: each takes a token, and waits for the next one when there is none.
 * It remembers nothing of single keys, so it counts no failures.
 *
 * @param options The rate.
 * @throws {RangeError} When an option is out of range.
 *
 * @example
 * ```ts
 * import { tokenBucketLimiter } from "@leash/leash/reconcile";
 * import { FakeClock } from "@leash/leash/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * const limiter = tokenBucketLimiter({ rate: 10, burst: 2, clock });
 * assertEquals(["a", "b", "c", "d"].map((key) => limiter.delay(key)), [0, 0, 100, 200]);
 * ```
 */
export function tokenBucketLimiter(
  { rate = 10, burst = 100, clock = systemClock }: TokenBucketLimiterOptions = {},
): RateLimiter {
  check(rate > 0 && rate < Infinity, "rate", "a finite number above 0", rate);
  check(burst >= 1 && burst < Infinity, "burst", "a finite number of at least 1", burst);
  let tokens = burst;
  let last = clock.monotonic();
  return {
    delay(): number {
      const now = clock.monotonic();
      tokens = Math.min(burst, tokens + (now - last) * rate / 1_000) - 1;
      last = now;
      // Below zero it has given away tokens that are still to come.
      return tokens >= 0 ? 0 : -tokens * 1_000 / rate;
    },
    failures: () => 0,
    forget: () => {},
  };
}

function check(isRight: boolean, name: string, expected: string, value: unknown): void {
  if (isRight) return;
  throw new RangeError(
    `Cannot make a token bucket: expected ${name} to be ${expected}: received ${value}`,
  );
}
