import { type Duration, toMilliseconds } from "../base/duration.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/** How a {@linkcode fastSlowLimiter} waits. */
export interface FastSlowLimiterOptions {
  /** The wait after each of the first failures. Default: 5 ms. */
  fast?: Duration;
  /** The wait after each further failure. Default: 10 seconds. */
  slow?: Duration;
  /** How many failures are fast. An integer of at least 0. Default: 3. */
  attempts?: number;
}

/**
 * A few quick retries of a key, and slow ones after them. It remembers one number for each key that has
 * failed, until the key is forgotten.
 *
 * @param options The waits.
 * @throws {RangeError} When an option is out of range.
 *
 * @example
 * ```ts
 * import { fastSlowLimiter } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const limiter = fastSlowLimiter({ attempts: 1 });
 * assertEquals([limiter.delay("a"), limiter.delay("a"), limiter.delay("b")], [5, 10_000, 5]);
 * ```
 */
export function fastSlowLimiter(
  { fast = 5, slow = 10_000, attempts = 3 }: FastSlowLimiterOptions = {},
): RateLimiter {
  const quick = toMilliseconds(fast, "fast");
  const long = toMilliseconds(slow, "slow");
  if (!Number.isInteger(attempts) || attempts < 0) {
    throw new RangeError(
      `Cannot make a fast/slow limiter: expected attempts to be an integer of at least 0: ` +
        `received ${attempts}`,
    );
  }
  const failures = new Map<string, number>();
  return {
    delay(key: string): number {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      return count <= attempts ? quick : long;
    },
    failures: (key: string) => failures.get(key) ?? 0,
    forget: (key: string) => void failures.delete(key),
  };
}
