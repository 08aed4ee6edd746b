/**
 * A value as JSON in one line, whatever it is: errors keep what makes them errors, and what JSON
 * does not know becomes text.
 */
export function toJson(value: unknown): string {
  /** The objects that the one at hand is in, and what became of them. */
  const path: { original: unknown; plain: unknown }[] = [];
  return JSON.stringify(value, function (this: unknown, _key: string, field: unknown): unknown {
    while (path.length > 0 && path.at(-1)!.plain !== this) path.pop();
    if (path.some(({ original }) => original === field)) return "[circular]";
    const plain = toPlain(field);
    // JSON.stringify goes on with what is returned, so that is what it calls `this` next.
    if (typeof plain === "object" && plain !== null) path.push({ original: field, plain });
    return plain;
  }) ?? "null";
}

function toPlain(value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return String(value);
    case "number":
      // JSON makes null of these.
      return Number.isFinite(value) ? value : String(value);
    case "function":
    case "symbol":
      return Deno.inspect(value);
  }
  if (value instanceof Error) return toPlainError(value);
  if (value instanceof Map) return [...value];
  if (value instanceof Set) return [...value];
  if (value instanceof RegExp || value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    return Deno.inspect(value);
  }
  return value;
}

function toPlainError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    name,
    message,
    ...(stack === undefined ? {} : { stack }),
    // The number that every DOMException has says nothing.
    ...(code === undefined || error instanceof DOMException ? {} : { code }),
    ...(cause === undefined ? {} : { cause }),
    ...(error instanceof AggregateError ? { errors: error.errors } : {}),
    ...Object.fromEntries(Object.entries(error)),
  };
}
