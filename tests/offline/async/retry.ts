import { delay } from "./delay.ts";

/** Options of {@linkcode retry}. */
export interface RetryOptions {
  /** Each wait is so many times the one before (default 2). */
  multiplier?: number;
  /** The longest wait in milliseconds (default 60 000). */
  maxTimeout?: number;
  /** How often to call the function at most (default 5). */
  maxAttempts?: number;
  /** The first wait in milliseconds (default 1 000). */
  minTimeout?: number;
  /** The share of each wait that is left to chance, from 0 to 1 (default 1). */
  jitter?: number;
  /** Says whether another attempt makes sense after this error. */
  isRetriable?: (err: unknown) => boolean;
  /** Ends the waits and forbids further attempts: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** All attempts failed; `cause` is the last error. */
export class RetryError extends Error {
  constructor(cause: unknown, attempts: number) {
    super(`Gave up after ${attempts} attempts`, { cause });
    this.name = "RetryError";
  }
}

/** Calls a function until it succeeds, with growing waits between the calls. */
export async function retry<T>(
  fn: (() => Promise<T>) | (() => T),
  options: RetryOptions = {},
): Promise<T> {
  const {
    multiplier = 2,
    maxTimeout = 60_000,
    maxAttempts = 5,
    minTimeout = 1_000,
    jitter = 1,
    isRetriable = () => true,
    signal,
  } = options;
  require(Number.isInteger(maxAttempts) && maxAttempts >= 1, "maxAttempts", maxAttempts);
  require(Number.isFinite(multiplier) && multiplier >= 1, "multiplier", multiplier);
  require(maxTimeout > 0, "maxTimeout", maxTimeout);
  require(minTimeout >= 0 && minTimeout <= maxTimeout, "minTimeout", minTimeout);
  require(jitter >= 0 && jitter <= 1, "jitter", jitter);

  for (let attempt = 1;; attempt++) {
    signal?.throwIfAborted();
    try {
      return await fn();
    } catch (error) {
      if (!isRetriable(error)) throw error;
      if (attempt >= maxAttempts) throw new RetryError(error, maxAttempts);
      const wait = Math.min(maxTimeout, minTimeout * multiplier ** (attempt - 1));
      await delay(wait * (1 - jitter * Math.random()), { signal });
    }
  }
}

function require(legal: boolean, name: string, value: number): void {
  if (!legal) throw new RangeError(`Cannot retry with this ${name}: received ${value}`);
}
