import { type Duration, toMilliseconds } from "./duration.ts";

/** How long to wait before trying again, growing from one attempt to the next. */
export interface BackoffOptions {
  /** The longest wait after the first failure. Default: 1 second. */
  initial?: Duration;
  /** What each further failure multiplies it by. Default: 2. */
  factor?: number;
  /** No wait is longer than this. Default: 30 seconds. */
  max?: Duration;
  /**
   * `"full"` (default): a random part of the wait, so that many that failed together do not come
   * back together. `"none"`: the whole wait.
   */
  jitter?: "full" | "none";
}

/**
 * Makes the function that gives the wait before the n-th retry.
 *
 * @param options The series.
 * @param random A source of numbers in [0, 1).
 * @returns `(failures) => milliseconds`, where `failures` counts from 1.
 * @throws {RangeError} When an option is out of range.
 */
export function createBackoff(
  options: BackoffOptions = {},
  random: () => number = Math.random,
): (failures: number) => number {
  const initial = toMilliseconds(options.initial ?? 1_000, "backoff.initial");
  const max = toMilliseconds(options.max ?? 30_000, "backoff.max");
  const factor = options.factor ?? 2;
  const jitter = options.jitter ?? "full";
  if (!(factor >= 1 && factor < Infinity)) {
    throw new RangeError(
      `Cannot use ${factor} as backoff.factor: expected a finite number that is at least 1`,
    );
  }
  if (jitter !== "full" && jitter !== "none") {
    throw new RangeError(`Cannot use ${jitter} as backoff.jitter: expected "full" or "none"`);
  }
  return (failures) => {
    // The power may be Infinity, and 0 * Infinity is NaN.
    const wait = Math.min(max, initial * Math.min(factor ** (failures - 1), Number.MAX_VALUE));
    return jitter === "full" ? wait * random() : wait;
  };
}
