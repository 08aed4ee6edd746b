import { show } from "../base/show.ts";
import { findUnportable } from "./portable.ts";

/**
 * A copy of the value if it can be cloned and carried everywhere, else the text that a console would show. Never throws.
 *
 * @param value Anything.
 */
export function toCloneable(value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") return show(value);
  if (typeof value !== "object" || value === null) return value;
  try {
    const clone = structuredClone(value);
    if (isEmptied(value, clone) || findUnportable(clone) !== undefined) return show(value);
    return clone;
  } catch {
    return show(value);
  }
}

/** Objects such as an AbortSignal are cloned to an empty object without any error. */
function isEmptied(value: object, clone: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype &&
    Object.getPrototypeOf(clone) === Object.prototype && Object.keys(clone).length === 0;
}
