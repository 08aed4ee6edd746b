/**
 * Carries thrown values across a thread or process boundary without losing what the structured
 * clone algorithm loses: names, codes, extra fields, `AggregateError.errors`, and whatever cannot be
 * cloned at all.
 */

import { show, toText } from "../base/show.ts";
import { toCloneable } from "./_cloneable.ts";

/** An error as plain data. */
export interface EncodedError {
  /** The error's name. */
  name: string;
  /** The error's message. */
  message: string;
  /** The stack where it was thrown. */
  stack?: string | undefined;
  /** The chain of causes. */
  cause?: EncodedValue | undefined;
  /** The errors of an AggregateError, or the two of a SuppressedError. */
  errors?: EncodedValue[] | undefined;
  /** Other fields of its own, as far as they can be cloned. */
  fields?: Record<string, unknown> | undefined;
  /** A DOMException is made by another constructor. */
  dom?: true | undefined;
}

/** Any thrown value as plain data. */
export type EncodedValue = { error: EncodedError } | { value: unknown };

/** A chain of causes that is longer than this is cut: it may be a circle. */
const DEEPEST = 16;

/** More errors than this are cut to texts: errors that contain each other can be without number. */
const MOST = 1_000;

/**
 * @param thrown What was thrown, or given as a reason: an error or anything else. Whatever it is,
 * encoding it does not throw.
 * @returns Plain data that can be cloned.
 */
export function encodeThrown(thrown: unknown): EncodedValue {
  return encode(thrown, 0, { errors: 0 });
}

function encode(thrown: unknown, depth: number, seen: { errors: number }): EncodedValue {
  try {
    if (!(thrown instanceof Error)) return { value: toCloneable(thrown) };
    return encodeError(thrown, depth, seen);
  } catch {
    // A proxy, whose every part may throw.
    return { value: show(thrown) };
  }
}

function encodeError(thrown: Error, depth: number, seen: { errors: number }): EncodedValue {
  const name = toText(read(thrown, "name") ?? "Error");
  const message = toText(read(thrown, "message") ?? "");
  if (depth >= DEEPEST || seen.errors >= MOST) return { value: `${name}: ${message} (…)` };
  seen.errors++;
  const stack = read(thrown, "stack");
  const encoded: EncodedError = {
    name,
    message,
    stack: typeof stack === "string" ? stack : undefined,
  };
  if (thrown instanceof DOMException) encoded.dom = true;
  const cause = read(thrown, "cause");
  if (cause !== undefined) encoded.cause = encode(cause, depth + 1, seen);
  encoded.errors = errorsOf(thrown)?.map((error) => encode(error, depth + 1, seen));
  const fields = Object.keys(thrown)
    .filter((key) => !(PARTS.has(key) || (key === "errors" && encoded.errors !== undefined)))
    .map((key) => [key, toCloneable(read(thrown, key))]);
  if (fields.length > 0) encoded.fields = Object.fromEntries(fields);
  return { error: encoded };
}

/** What is no field, though it may look like one. */
const PARTS = new Set(["name", "message", "stack", "cause"]);

/** The errors that an error holds by its class. */
function errorsOf(thrown: Error): unknown[] | undefined {
  if (thrown instanceof SuppressedError) return [thrown.error, thrown.suppressed];
  if (!(thrown instanceof AggregateError)) return undefined;
  const errors = read(thrown, "errors");
  return Array.isArray(errors) ? errors : undefined;
}

/** Reading a property may run code of the task, which may throw. */
function read(error: Error, key: string): unknown {
  try {
    return error[key as keyof Error];
  } catch {
    return undefined;
  }
}

/**
 * @param encoded What `encodeThrown` returned, on the other side.
 * @returns An equal value. Built-in errors and `Deno.errors` get their class back; any other error
 * is an `Error` with the right name.
 */
export function decodeThrown(encoded: EncodedValue): unknown {
  // Not `"value" in encoded`: JSON drops a value that is undefined.
  if (!("error" in encoded)) return encoded.value;
  const { name, message, stack, cause, errors, fields, dom } = encoded.error;
  const options = cause === undefined ? undefined : { cause: decodeThrown(cause) };
  let error: Error;
  if (dom) {
    error = new DOMException(message, name);
    if (options) define(error, "cause", options.cause);
  } else if (errors !== undefined) {
    const decoded = errors.map(decodeThrown);
    error = name === "SuppressedError"
      ? new SuppressedError(decoded[0], decoded[1], message)
      : new AggregateError(decoded, message, options);
  } else {
    error = new (CONSTRUCTORS.get(name) ?? Error)(message, options);
  }
  if (error.name !== name) define(error, "name", name);
  if (stack !== undefined) define(error, "stack", stack);
  for (const [key, value] of Object.entries(fields ?? {})) {
    Object.defineProperty(error, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return error;
}

type ErrorConstructorOf = new (message?: string, options?: ErrorOptions) => Error;

const CONSTRUCTORS = new Map<string, ErrorConstructorOf>([
  ...[EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError],
  ...Object.values(Deno.errors),
].map((constructor) => [constructor.name, constructor as ErrorConstructorOf]));

function define(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, {
    value,
    enumerable: false,
    configurable: true,
    writable: true,
  });
}
