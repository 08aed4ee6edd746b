import { show } from "../base/show.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/**
 * Says what is wrong with a rate limiter, before it is asked for the first time.
 *
 * @throws {TypeError} When it is none.
 */
export function checkLimiter(limiter: RateLimiter | undefined, what: string): void {
  if (limiter === undefined) return;
  const methods = ["delay", "failures", "forget"] as const;
  if (methods.every((method) => typeof limiter?.[method] === "function")) return;
  throw new TypeError(
    `Cannot ${what}: expected a rateLimiter with ${
      methods.join("(), ")
    }(), as exponentialLimiter() ` +
      `makes: received ${show(limiter)}`,
  );
}
