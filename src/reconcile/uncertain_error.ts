/**
 * Thrown by an operation of `reconcileState()` that cannot tell whether it was done: it was sent and
 * never answered, or it broke off half-way. The state of the key is then uncertain: it is done again, or
 * undone, before it counts as one or the other.
 *
 * @example
 * ```ts
 * import { UncertainError } from "@leash/leash/reconcile";
 *
 * async function createRecord(url: string, body: string): Promise<void> {
 *   const response = await fetch(url, { method: "PUT", body }).catch((cause) => {
 *     throw new UncertainError(`create ${url}`, "the server did not answer", { cause });
 *   });
 *   await response.body?.cancel();
 * }
 * ```
 */
export class UncertainError extends Error {
  /** Tells it from other errors, also after it crossed a thread. */
  override readonly name = "UncertainError";

  /**
   * Makes the error.
   *
   * @param what What was to be done, as in `create the record`.
   * @param why What is in the way of knowing.
   * @param options `cause`: the error behind it.
   */
  constructor(what: string, why: string, options?: ErrorOptions) {
    super(`Cannot tell whether it was done: ${what}: ${why}`, options);
  }
}

/** An operation that ended like this may have been done in part. */
const BROKEN_OFF = new Set([
  "UncertainError",
  "WorkerCrashedError",
  "WorkerOutOfMemoryError",
  "TimeoutError",
  "AbortError",
]);

/** Whether nobody knows if what threw this was done. By name: it may have crossed a thread. */
export function isUncertain(error: unknown): boolean {
  return error instanceof Error && BROKEN_OFF.has(error.name);
}
