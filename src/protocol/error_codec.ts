/**
 * Carries thrown values across a thread or process boundary without losing what the structured
 * clone algorithm loses: names, codes, extra fields, `AggregateError.errors`, and whatever cannot be
 * cloned at all.
 */

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
  /** The errors of an AggregateError. */
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

/**
 * @param thrown What was thrown, or given as a reason: an error or anything else.
 * @returns Plain data that can be cloned.
 */
export function encodeThrown(thrown: unknown, depth = 0): EncodedValue {
  if (!(thrown instanceof Error)) return { value: toCloneable(thrown) };
  if (depth >= DEEPEST) return { value: `${thrown.name}: ${thrown.message} (…)` };
  const encoded: EncodedError = {
    name: String(thrown.name),
    message: String(thrown.message),
    stack: typeof thrown.stack === "string" ? thrown.stack : undefined,
  };
  if (thrown instanceof DOMException) encoded.dom = true;
  if ("cause" in thrown && thrown.cause !== undefined) {
    encoded.cause = encodeThrown(thrown.cause, depth + 1);
  }
  if (thrown instanceof AggregateError) {
    encoded.errors = thrown.errors.map((error) => encodeThrown(error, depth + 1));
  }
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(thrown)) {
    if (key in encoded || key === "errors") continue;
    fields[key] = toCloneable(value);
  }
  if (Object.keys(fields).length > 0) encoded.fields = fields;
  return { error: encoded };
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
  } else if (name === "AggregateError") {
    error = new AggregateError((errors ?? []).map(decodeThrown), message, options);
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

/** The value if it can be cloned, else the text that a console would show. */
function toCloneable(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return typeof value === "function" || typeof value === "symbol" ? Deno.inspect(value) : value;
  }
  // These two are cloned to an empty object without any error.
  if (value instanceof AbortSignal || value instanceof URL) return Deno.inspect(value);
  try {
    return structuredClone(value);
  } catch {
    return Deno.inspect(value);
  }
}
