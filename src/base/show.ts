/**
 * A value as a console shows it. It never throws, though inspecting may run code of the value's own.
 *
 * @param value Anything.
 */
export function show(value: unknown): string {
  try {
    return Deno.inspect(value);
  } catch {
    return `[${typeof value} that cannot be shown]`;
  }
}

/**
 * `String(value)`, which throws for some objects and may run code of the value's own; for those, as a
 * console shows them. It never throws.
 *
 * @param value Anything.
 */
export function toText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return show(value);
  }
}
