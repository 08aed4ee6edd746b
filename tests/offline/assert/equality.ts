import nodeAssert from "node:assert/strict";
import { equal } from "./equal.ts";
import { reject, show } from "./error.ts";

/** Asserts that two values are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!equal(actual, expected)) reject("Values are not equal", difference(actual, expected, msg));
}

/** Asserts that two values are not deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (equal(actual, expected)) reject(`Expected anything but ${show(expected)}`, msg);
}

/** Asserts that two values are the same, as `Object.is` says. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (!Object.is(actual, expected)) {
    reject("Values are not the same", difference(actual, expected, msg));
  }
}

/** Asserts that two values are not the same, as `Object.is` says. */
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void {
  if (Object.is(actual, expected)) reject(`Expected anything but ${show(expected)}`, msg);
}

/** Asserts that an array has all items of another, in any order. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T> & object,
  expected: ArrayLike<T> & object,
  msg?: string,
): void {
  const present = Array.from(actual);
  const missing = Array.from(expected).filter((item) => !present.some((one) => equal(one, item)));
  if (missing.length > 0) {
    reject(`Expected ${show(actual)} to include ${show(missing)}`, msg);
  }
}

/** Asserts that an object has the fields of another, with nested objects compared the same way. */
export function assertObjectMatch(
  // deno-lint-ignore no-explicit-any -- instances of classes and interfaces have no index signature
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  if (!includes(actual, expected, new Map())) {
    reject("The object does not match", difference(actual, expected, msg));
  }
}

/**
 * True when `expected`, with everything that it holds, is found in `actual`.
 *
 * @param pairs Pairs that are being compared further up: a cycle matches as far as one can see.
 */
function includes(actual: unknown, expected: unknown, pairs: Map<object, object>): boolean {
  if (!isObject(actual) || !isObject(expected)) return equal(actual, expected);
  if (isLeaf(actual) || isLeaf(expected)) return equal(actual, expected);
  if (pairs.get(actual) === expected) return true;
  pairs.set(actual, expected);
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return expected.every((item, index) => index in actual && includes(actual[index], item, pairs));
  }
  if (actual instanceof Map && expected instanceof Map) {
    return [...expected].every(([key, value]) =>
      actual.has(key) && includes(actual.get(key), value, pairs)
    );
  }
  if (actual instanceof Set && expected instanceof Set) return expected.isSubsetOf(actual);
  return Reflect.ownKeys(expected).every((key) =>
    Object.hasOwn(actual, key) &&
    includes(Reflect.get(actual, key), Reflect.get(expected, key), pairs)
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Objects without fields of their own: only a comparison as a whole says something about them. */
function isLeaf(value: object): boolean {
  return value instanceof RegExp || value instanceof Date;
}

/** Node prints the better diff; where its rules differ from ours it sees none, so we print both. */
function difference(actual: unknown, expected: unknown, msg?: string): string {
  const prefix = msg ? `${msg}\n` : "\n";
  try {
    nodeAssert.deepStrictEqual(actual, expected);
  } catch (error) {
    if (error instanceof Error) return prefix + error.message;
  }
  return `${prefix}actual:   ${show(actual)}\nexpected: ${show(expected)}`;
}
