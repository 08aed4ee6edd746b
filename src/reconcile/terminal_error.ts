/**
 * Thrown by a reconcile that cannot succeed however often it is tried: the key is not tried again before
 * something adds it anew. It is counted apart from other errors.
 *
 * Any error whose `name` is `"TerminalError"` is taken for one, so a module need not import this.
 *
 * @example
 * ```ts
 * import { TerminalError } from "@leash/leash/reconcile";
 *
 * export default function reconcile(key: string): void {
 *   if (!/^[a-z]+$/.test(key)) throw new TerminalError(`reconcile ${key}`, "it is no name");
 * }
 * ```
 */
export class TerminalError extends Error {
  /** Tells it from other errors, also after it crossed a thread. */
  override readonly name = "TerminalError";

  /**
   * Makes the error.
   *
   * @param what What cannot be done, as in `mount the volume`.
   * @param why Why no further attempt can change that.
   * @param options `cause`: the error behind it.
   */
  constructor(what: string, why: string, options?: ErrorOptions) {
    super(`Cannot ${what}: ${why}`, options);
  }
}

/** By name: it has crossed a thread. */
export function isTerminal(error: unknown): boolean {
  return error instanceof Error && error.name === "TerminalError";
}
