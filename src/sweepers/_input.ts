/**
 * A sweeper deletes things, so it refuses an input that it does not understand in full: a misspelt
 * limit must not turn into "no limit".
 *
 * @param input What the user gave.
 * @param known The options that exist.
 * @param what What the sweeper does, for the message, as in `sweep files`.
 */
export function checkKeys(input: unknown, known: readonly string[], what: string): void {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new TypeError(
      `Cannot ${what}: expected an object with the options ${known.join(", ")}: ` +
        `received ${Deno.inspect(input)}`,
    );
  }
  for (const key of Object.keys(input)) {
    if (known.includes(key)) continue;
    throw new TypeError(
      `Cannot ${what}: there is no such option${suggest(key, known)}; ` +
        `the options are ${known.join(", ")}: received ${JSON.stringify(key)}`,
    );
  }
}

/** The value, if it is one of those allowed, or `fallback` if it is `undefined`. */
export function oneOf<T extends string | boolean>(
  value: T | undefined,
  allowed: readonly T[],
  fallback: T,
  name: string,
  what: string,
): T {
  if (value === undefined) return fallback;
  if (allowed.includes(value)) return value;
  throw new TypeError(
    `Cannot ${what}: ${name} must be ${
      allowed.map((item) => JSON.stringify(item)).join(" or ")
    }: ` +
      `received ${Deno.inspect(value)}`,
  );
}

/** The value, if it is a whole number of at least `minimum`, or `fallback` if it is `undefined`. */
export function wholeNumber(
  value: number | undefined,
  fallback: number,
  minimum: number,
  name: string,
  what: string,
): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= minimum) return value;
  throw new RangeError(
    `Cannot ${what}: ${name} must be a whole number of at least ${minimum}: ` +
      `received ${Deno.inspect(value)}`,
  );
}

/** The value, if it is a text that is not empty. */
export function text(value: unknown, name: string, what: string): string {
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return value;
  throw new TypeError(
    `Cannot ${what}: ${name} must be a string that is not empty: received ${Deno.inspect(value)}`,
  );
}

/** ` (did you mean "x"?)` for the name that is nearest, or nothing if none is near. */
export function suggest(given: string, names: readonly string[]): string {
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(given.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (distance < least) [nearest, least] = [name, distance];
  }
  return nearest === undefined ? "" : ` (did you mean ${JSON.stringify(nearest)}?)`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
