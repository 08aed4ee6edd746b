import { Cron } from "croner";
import type { Schedule } from "./schedule.ts";

/** How {@linkcode cron} reads its expression. */
export interface CronOptions {
  /**
   * The IANA time zone that the fields are in, as in `"Europe/Berlin"`. Default: `"UTC"`, so that a
   * schedule means the same on every machine.
   */
  timeZone?: string;
}

/** Each due time takes croner some 50 µs, and the main thread waits for the count. */
const COUNT_LIMIT = 1_000;

/**
 * Due at calendar times. Five fields (minute, hour, day of month, month, day of week), or six with
 * the seconds first; names, steps, `L`, `#` and `W` as in croner, which does the calculation. Also
 * `@yearly`, `@monthly`, `@weekly`, `@daily` and `@hourly`.
 *
 * Where the clocks change, it matters whether the expression names one time of day: a single second,
 * minute and hour, without `*` and `/`. Such a time is due once a day. Where the clocks go
 * forward over it, it is due at the moment of the change, and where they go back over it, when it
 * comes first. Any other expression, such as `0,30 2 * * *`, is due whenever the clocks on the wall
 * show a time that it matches: never in an hour that is left out, twice in one that is repeated.
 *
 * @param expression The cron expression.
 * @param options The time zone.
 * @returns The schedule.
 * @throws {TypeError} When the expression cannot be read.
 * @throws {RangeError} When the time zone is not known.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { cron } from "@leash/leash";
 *
 * const schedule = cron("30 2 * * *", { timeZone: "Europe/Berlin" });
 * const next = schedule.next(Date.parse("2026-07-01T00:00:00Z"));
 * assertEquals(new Date(next!).toISOString(), "2026-07-01T00:30:00.000Z");
 * ```
 */
export function cron(expression: string, options: CronOptions = {}): Schedule {
  const { timeZone = "UTC" } = options;
  const calculator = parse(expression, timeZone);
  const next = (after: number): number | undefined =>
    // Down, since a Date cuts fractions towards the epoch.
    calculator.nextRun(new Date(Math.floor(after)))?.getTime() ?? undefined;
  return {
    kind: "cron",
    description: `cron ${expression}${timeZone === "UTC" ? "" : ` ${timeZone}`}`,
    base: "wall",
    sliding: false,
    jitter: 0,
    first: next,
    next,
    count(after, until) {
      let count = 0;
      let due = next(after);
      while (due !== undefined && due <= until && count < COUNT_LIMIT) {
        count++;
        due = next(due);
      }
      return count;
    },
  };
}

function parse(expression: string, timeZone: string): Cron {
  if (typeof expression !== "string") {
    throw new TypeError(
      `Cannot read the cron expression: expected a string: received ${Deno.inspect(expression)}`,
    );
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch (cause) {
    throw new RangeError(
      `Cannot use the time zone of cron("${expression}"): expected an IANA name such as ` +
        `"Europe/Berlin": received ${Deno.inspect(timeZone)}`,
      { cause },
    );
  }
  const fields = expression.trim().split(/\s+/).length;
  try {
    // croner takes a date as well, which is what `at()` is for.
    if (fields < 5 && !expression.trim().startsWith("@")) throw new Error(`received ${fields}`);
    return new Cron(expression, { timezone: timeZone, paused: true, mode: "5-or-6-parts" });
  } catch (cause) {
    throw new TypeError(
      `Cannot read the cron expression "${expression}": expected five fields (minute, hour, day of ` +
        `month, month, day of week) or six with seconds first: ${(cause as Error).message}`,
      { cause },
    );
  }
}
