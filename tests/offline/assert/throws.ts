import { stripVTControlCharacters } from "node:util";
import { reject } from "./error.ts";

// deno-lint-ignore no-explicit-any -- the parameters of an error class play no part here
type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

/** Asserts that a value is an error of a class with a message that contains a text. */
export function assertIsError<E extends Error = Error>(
  error: unknown,
  errorClass?: ErrorClass<E>,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E {
  if (!(error instanceof Error)) reject(`Expected an Error, received ${String(error)}`, msg);
  if (errorClass && !(error instanceof errorClass)) {
    reject(`Expected an error of class ${errorClass.name}, received ${describe(error)}`, msg);
  }
  const text = stripVTControlCharacters(error.message);
  const matches = msgMatches instanceof RegExp
    ? msgMatches.test(text)
    : text.includes(stripVTControlCharacters(msgMatches ?? ""));
  if (!matches) {
    reject(`Expected an error whose message has ${msgMatches}, received ${describe(error)}`, msg);
  }
}

/** Asserts that a function throws; returns what it threw. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  errorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  classOrMsg?: ErrorClass<Error> | string,
  msgIncludes?: string,
  msg?: string,
): unknown {
  const expected = read(classOrMsg, msgIncludes, msg);
  try {
    fn();
  } catch (error) {
    return checked(error, expected, "thrown");
  }
  reject("Expected the function to throw", expected.msg);
}

/**
 * Asserts that a function returns a promise that rejects; resolves to the reason. A function that
 * throws before it returns a promise fails the assertion.
 */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  classOrMsg?: ErrorClass<Error> | string,
  msgIncludes?: string,
  msg?: string,
): Promise<unknown> {
  const expected = read(classOrMsg, msgIncludes, msg);
  let promise: PromiseLike<unknown>;
  try {
    promise = fn();
  } catch (error) {
    reject(`Expected a promise that rejects, but the call threw ${describe(error)}`, expected.msg);
  }
  // A function written in JavaScript may return anything.
  if (typeof (promise as Partial<PromiseLike<unknown>> | undefined)?.then !== "function") {
    reject(`Expected a promise that rejects, received ${String(promise)}`, expected.msg);
  }
  try {
    await promise;
  } catch (error) {
    return checked(error, expected, "the reason of the rejection");
  }
  reject("Expected the promise to reject", expected.msg);
}

interface Expected {
  errorClass?: ErrorClass<Error>;
  msgIncludes?: string;
  msg?: string;
}

/** The second argument is a class or, when no class is asked for, the message. */
function read(
  classOrMsg: ErrorClass<Error> | string | undefined,
  msgIncludes: string | undefined,
  msg: string | undefined,
): Expected {
  return typeof classOrMsg === "string"
    ? { msg: classOrMsg }
    : { errorClass: classOrMsg, msgIncludes, msg };
}

function checked(error: unknown, expected: Expected, role: string): unknown {
  const { errorClass, msgIncludes, msg } = expected;
  if (errorClass === undefined) return error;
  if (!(error instanceof Error)) reject(`Expected an Error as ${role}, received ${error}`, msg);
  assertIsError(error, errorClass, msgIncludes, msg);
  return error;
}

function describe(error: unknown): string {
  return error instanceof Error
    ? `${error.constructor.name}: ${JSON.stringify(error.message)}`
    : String(error);
}
