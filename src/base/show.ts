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
