/**
 * Whether `await` would wait for the value: a promise of any kind.
 *
 * @param value Anything.
 */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null &&
    typeof (value as { then?: unknown }).then === "function";
}
