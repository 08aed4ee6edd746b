import { report } from "../base/report.ts";
import { show } from "../base/show.ts";
import { exponentialLimiter } from "./exponential_limiter.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/**
 * A rate limiter as a controller uses it: one that throws, or does not answer in milliseconds, must not
 * end the loop that asks it, nor the process. That is reported, and the usual one takes its place.
 *
 * @param limiter The user's.
 * @param name Of the controller.
 */
export function guardedLimiter(limiter: RateLimiter, name: string): RateLimiter {
  const standIn = exponentialLimiter();
  const ask = (what: "delay" | "failures", key: string): number => {
    try {
      const answer = limiter[what](key);
      if (answer >= 0) return answer;
      throw new RangeError(
        `Cannot use the rate limiter: expected a number of at least 0 from ${what}(): received ` +
          show(answer),
      );
    } catch (error) {
      report(`${name}: the rate limiter failed for ${key}`, error);
      return standIn[what](key);
    }
  };
  return {
    ...(limiter.max === undefined ? {} : { max: limiter.max }),
    delay: (key) => ask("delay", key),
    failures: (key) => ask("failures", key),
    forget(key) {
      standIn.forget(key);
      try {
        limiter.forget(key);
      } catch (error) {
        report(`${name}: the rate limiter failed for ${key}`, error);
      }
    },
  };
}
