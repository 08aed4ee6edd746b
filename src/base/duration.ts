/** The units of an exact duration. Months and years are missing: their length depends on a date. */
export interface DurationUnits {
  /** Weeks of seven days. */
  weeks?: number;
  /** Days of 24 hours. */
  days?: number;
  /** Hours. */
  hours?: number;
  /** Minutes. */
  minutes?: number;
  /** Seconds. */
  seconds?: number;
  /** Milliseconds. */
  milliseconds?: number;
}

/** A length of time: milliseconds, named units, or a `Temporal.Duration`. */
export type Duration = number | DurationUnits | Temporal.Duration;

const MILLISECONDS: Record<keyof DurationUnits, number> = {
  weeks: 604_800_000,
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
};

const EXPECTED =
  "expected milliseconds as a number, units such as { minutes: 5 }, or a Temporal.Duration " +
  "without months and years";

/**
 * Turns a duration into milliseconds. `Infinity` is allowed where the caller says so; negative
 * values, `NaN`, unknown units and calendar units are not.
 *
 * @param duration What the user gave.
 * @param name The option's name, for the message.
 * @param limits `allowInfinity`: `Infinity` is a legal value. `minimum`: the least legal value, in
 * milliseconds (default 0).
 * @returns Milliseconds.
 * @throws {TypeError} When it is no duration at all.
 * @throws {RangeError} When it is a duration outside the limits.
 */
export function toMilliseconds(
  duration: Duration,
  name: string,
  limits: { allowInfinity?: boolean; minimum?: number } = {},
): number {
  const value = convert(duration, name);
  const minimum = limits.minimum ?? 0;
  if (Number.isNaN(value) || value < minimum || (value === Infinity && !limits.allowInfinity)) {
    throw new RangeError(
      `Cannot use ${describe(duration)} as ${name}: expected ` +
        `${limits.allowInfinity ? "" : "a finite duration of "}at least ${minimum} ms`,
    );
  }
  return value;
}

function convert(duration: Duration, name: string): number {
  if (typeof duration === "number") return duration;
  if (typeof duration !== "object" || duration === null) {
    throw new TypeError(`Cannot use ${describe(duration)} as ${name}: ${EXPECTED}`);
  }
  if (duration instanceof Temporal.Duration) {
    if (duration.years !== 0 || duration.months !== 0) {
      throw new RangeError(`Cannot use ${describe(duration)} as ${name}: ${EXPECTED}`);
    }
    // Weeks have no fixed length for Temporal, but they do for an interval.
    return duration.weeks * MILLISECONDS.weeks + duration.with({ weeks: 0 }).total("milliseconds");
  }
  const entries = Object.entries(duration);
  if (entries.length === 0) {
    throw new TypeError(`Cannot use ${describe(duration)} as ${name}: ${EXPECTED}`);
  }
  let total = 0;
  for (const [unit, count] of entries) {
    if (!Object.hasOwn(MILLISECONDS, unit) || typeof count !== "number") {
      throw new TypeError(
        `Cannot use ${describe(duration)} as ${name}: expected numbers for the units ` +
          `${Object.keys(MILLISECONDS).join(", ")}, received ${unit}: ${describe(count)}`,
      );
    }
    total += MILLISECONDS[unit as keyof DurationUnits] * count;
  }
  return total;
}

function describe(duration: unknown): string {
  if (duration instanceof Temporal.Duration) return duration.toString();
  if (typeof duration === "string") return JSON.stringify(duration);
  if (typeof duration === "object" && duration !== null) return Deno.inspect(duration);
  return String(duration);
}
