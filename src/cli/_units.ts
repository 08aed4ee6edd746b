import { wrongValue } from "./_usage.ts";

/** From the longest: a duration names them in this order. */
const DURATIONS: readonly (readonly [unit: string, milliseconds: number])[] = [
  ["w", 604_800_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
];

const SIZES: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
};

/** What the help says of durations. */
export const DURATION_HELP =
  "A number and a unit, or several: 500ms, 30s, 5m, 1h30m, 7d, 2w. There are w, d, h, m, s and ms.";

/** What the help says of sizes. */
export const SIZE_HELP =
  "Bytes, or a number and a unit: 800, 10k, 500MB, 1.5GB are powers of 1000; 512KiB, 2GiB of 1024.";

/**
 * Reads a duration such as `1h30m`. Each unit comes once, the longest first.
 *
 * @param text What the user gave.
 * @param option The option that it was given for, for the message.
 * @param minimum The least legal value, in milliseconds.
 * @returns Milliseconds.
 * @throws {UsageError} When it is no duration, or too short.
 */
export function parseDuration(text: string, option: string, minimum = 0): number {
  const expected = "a duration such as 500ms, 30s, 1h30m or 7d";
  let total = 0;
  let previous = -1;
  let rest = text;
  do {
    const [all, number, unit] = /^(\d+(?:\.\d+)?)(ms|[wdhms])/.exec(rest) ?? [];
    const index = DURATIONS.findIndex(([name]) => name === unit);
    if (all === undefined || index <= previous) throw wrongValue(option, expected, text);
    total += Number(number) * DURATIONS[index]![1];
    previous = index;
    rest = rest.slice(all.length);
  } while (rest !== "");
  if (total > Number.MAX_SAFE_INTEGER) throw wrongValue(option, "a shorter duration", text);
  if (total < minimum) throw wrongValue(option, `a duration of at least ${minimum}ms`, text);
  return total;
}

/**
 * Reads a size such as `1.5GB`. Upper and lower case are the same.
 *
 * @param text What the user gave.
 * @param option The option that it was given for, for the message.
 * @returns Bytes.
 * @throws {UsageError} When it is no size.
 */
export function parseSize(text: string, option: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([kmgt]i?)?b?$/.exec(text.toLowerCase()) ?? [];
  const bytes = Math.round(Number(number) * (SIZES[unit ?? ""] ?? NaN));
  if (Number.isSafeInteger(bytes)) return bytes;
  throw wrongValue(option, "a size such as 800, 10k, 500MB or 2GiB", text);
}

/**
 * Reads a number of things.
 *
 * @param text What the user gave.
 * @param option The option that it was given for, for the message.
 * @param minimum The least legal value.
 * @throws {UsageError} When it is no whole number, or too small.
 */
export function parseCount(text: string, option: string, minimum = 0): number {
  const count = /^\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(count) && count >= minimum) return count;
  throw wrongValue(option, `a whole number of at least ${minimum}`, text);
}
