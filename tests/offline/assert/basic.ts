import { AssertionError, reject, show } from "./error.ts";

// deno-lint-ignore no-explicit-any -- the parameters of a constructor play no part here
type AnyClass = abstract new (...args: any[]) => any;

/** Asserts that a value is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Asserts that a value is falsy. */
export function assertFalse(expr: unknown, msg = ""): void {
  if (expr) throw new AssertionError(msg);
}

/** Fails in any case. */
export function fail(msg?: string): never {
  reject("Failed on purpose", msg);
}

/** Marks a line that must not be reached. */
export function unreachable(msg?: string): never {
  reject("Reached a line that must not be reached", msg);
}

/** Asserts that a value is neither `null` nor `undefined`. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual === undefined || actual === null) {
    reject(`Expected a value, received ${actual}`, msg);
  }
}

/** Asserts that a value is an instance of a class. */
export function assertInstanceOf<T extends AnyClass>(
  actual: unknown,
  expectedType: T,
  msg?: string,
): asserts actual is InstanceType<T> {
  if (!(actual instanceof expectedType)) {
    reject(`Expected an instance of ${expectedType.name}, received ${show(actual)}`, msg);
  }
}

/** Asserts that a text matches a pattern. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) reject(`Expected "${actual}" to match ${expected}`, msg);
}

/** Asserts that a text does not match a pattern. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) reject(`Expected "${actual}" not to match ${expected}`, msg);
}

/** Asserts that a text contains another. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (!actual.includes(expected)) reject(`Expected "${actual}" to include "${expected}"`, msg);
}

/** Asserts `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual > expected)) compared(actual, ">", expected, msg);
}

/** Asserts `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual >= expected)) compared(actual, ">=", expected, msg);
}

/** Asserts `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual < expected)) compared(actual, "<", expected, msg);
}

/** Asserts `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual <= expected)) compared(actual, "<=", expected, msg);
}

function compared(actual: unknown, operator: string, expected: unknown, msg?: string): never {
  throw new AssertionError(msg ?? `Expected ${show(actual)} ${operator} ${show(expected)}`);
}

/** Asserts that two numbers differ by the tolerance at most (default: a ten millionth of the second). */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance: number = Number.isFinite(expected) ? Math.abs(expected * 1e-7) : 1e-7,
  msg?: string,
): void {
  if (Object.is(actual, expected) || Math.abs(actual - expected) <= tolerance) return;
  reject(`Expected ${actual} to be within ${tolerance} of ${expected}`, msg);
}
