import { abortable } from "./abortable.ts";

/** Options of {@linkcode deadline}. */
export interface DeadlineOptions {
  /** Ends the wait earlier: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** Waits for a promise for so long; then rejects with a `TimeoutError`. */
export async function deadline<T>(
  p: Promise<T>,
  ms: number,
  options: DeadlineOptions = {},
): Promise<T> {
  const limits = options.signal ? [options.signal] : [];
  if (ms < Number.MAX_SAFE_INTEGER) limits.push(AbortSignal.timeout(ms));
  return await abortable(p, AbortSignal.any(limits));
}
