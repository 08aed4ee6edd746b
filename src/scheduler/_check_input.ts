/** An input is looked through to this many values; the rest is left to the clone itself. */
const LIMIT = 1_000;

/**
 * Refuses inputs that a worker would not get as they are: functions cannot be cloned, and an
 * AbortSignal or a URL arrives as an empty object without any error.
 *
 * @param input The input of a task.
 * @param task The task's name, for the message.
 * @throws {TypeError} With the place of the value within the input.
 */
export function checkInput(input: unknown, task: string): void {
  const seen = new Set<unknown>();
  const queue: [string, unknown][] = [["input", input]];
  for (const [path, value] of queue) {
    const mend = badValue(value);
    if (mend !== undefined) {
      throw new TypeError(
        `Cannot send ${path} to task "${task}": ${mend}: received ${Deno.inspect(value)}`,
      );
    }
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (queue.length >= LIMIT) continue;
    const plain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype ||
      Object.getPrototypeOf(value) === null;
    if (!plain) continue;
    for (const [key, inner] of Object.entries(value)) {
      queue.push([Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, inner]);
    }
  }
}

function badValue(value: unknown): string | undefined {
  if (typeof value === "function" || typeof value === "symbol") {
    return "a worker cannot be given functions or symbols, do it in the task module";
  }
  if (value instanceof AbortSignal) return "a signal cannot be cloned, the task has ctx.signal";
  if (value instanceof URL) return "a URL cannot be cloned, use its href";
  if (value instanceof Promise) return "a promise cannot be cloned, await it first";
  // Temporal's objects have no way to be cloned yet.
  if (value instanceof Temporal.Duration) {
    return "a Temporal.Duration cannot be cloned, use units such as { days: 7 }";
  }
  if (/^\[object Temporal\./.test(Object.prototype.toString.call(value))) {
    return "objects of Temporal cannot be cloned, use toString()";
  }
  return undefined;
}
