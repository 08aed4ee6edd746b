import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { show } from "../base/show.ts";
import type { TtlCacheOptions } from "./ttl_cache_options.ts";

/** The options of a cache, checked and complete; times in milliseconds. */
export interface TtlConfig {
  readonly clock: Clock;
  readonly ttl: number;
  readonly maxSize: number;
  readonly maxWeight: number;
  /** `undefined`: as the times to live of the entries ask for. */
  readonly interval: number | undefined;
  readonly budget: number;
  readonly maxStall: number;
}

/** How often to sweep when the shortest time to live is this: see the option `sweepInterval`. */
export function intervalFor(ttl: number): number {
  return Math.min(Math.max(ttl / 4, LEAST_INTERVAL), MOST_INTERVAL);
}

const LEAST_INTERVAL = 1_000;
const MOST_INTERVAL = 600_000;

/**
 * Checks the options.
 *
 * @param options What the user gave.
 * @param what What is made with them, for the messages.
 */
export function ttlConfig<K, V>(options: TtlCacheOptions<K, V>, what: string): TtlConfig {
  if (!(options?.signal instanceof AbortSignal)) {
    throw new TypeError(
      `Cannot make a ${what}: expected an AbortSignal as signal, as shutdownSignal() gives: ` +
        `received ${show(options?.signal)}`,
    );
  }
  const { maxSize = Infinity, maxWeight = Infinity, weigh } = options;
  if (maxSize !== Infinity && !(Number.isSafeInteger(maxSize) && maxSize > 0)) {
    throw new RangeError(
      `Cannot make a ${what}: expected a whole number of at least 1 as maxSize: ` +
        `received ${show(maxSize)}`,
    );
  }
  if (!(typeof maxWeight === "number" && maxWeight > 0)) {
    throw new RangeError(
      `Cannot make a ${what}: expected a number above 0 as maxWeight: received ${show(maxWeight)}`,
    );
  }
  if (weigh === undefined && maxWeight !== Infinity) {
    throw new TypeError(`Cannot make a ${what}: maxWeight needs weigh: received no weigh`);
  }
  for (const name of ["weigh", "onRemove"] as const) {
    const value: unknown = options[name];
    if (value === undefined || typeof value === "function") continue;
    throw new TypeError(
      `Cannot make a ${what}: expected a function as ${name}: received ${show(value)}`,
    );
  }
  const updateOnGet: unknown = options.updateOnGet;
  if (updateOnGet !== undefined && typeof updateOnGet !== "boolean") {
    throw new TypeError(
      `Cannot make a ${what}: expected true or false as updateOnGet: received ${show(updateOnGet)}`,
    );
  }
  const ttl = toTtl(options.ttl, "ttl");
  return {
    clock: options.clock ?? systemClock,
    ttl,
    maxSize,
    maxWeight,
    interval: options.sweepInterval === undefined
      ? undefined
      : toTtl(options.sweepInterval, "sweepInterval"),
    budget: toTtl(options.sweepBudget ?? 1, "sweepBudget"),
    maxStall: toTtl(options.maxStall ?? Infinity, "maxStall"),
  };
}

/** A duration of more than nothing, in milliseconds; `Infinity` is one. */
export function toTtl(duration: Duration, name: string): number {
  // Most are numbers, and this is on the way of each set.
  if (typeof duration === "number" && duration > 0) return duration;
  if (typeof duration !== "number") {
    const milliseconds = toMilliseconds(duration, name, { allowInfinity: true });
    if (milliseconds > 0) return milliseconds;
  }
  throw new RangeError(
    `Cannot use ${show(duration)} as ${name}: expected more than 0 ms, or Infinity for ` +
      `${name === "ttl" ? "ever" : "no limit"}: received ${show(duration)}`,
  );
}
