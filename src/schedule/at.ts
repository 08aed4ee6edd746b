import type { Schedule } from "./schedule.ts";

/**
 * Due once, at a moment of the wall clock. A moment in the past is due at once.
 *
 * @param date A `Date`, milliseconds since the epoch, a `Temporal.Instant` or
 * `Temporal.ZonedDateTime`, or a string in ISO 8601 with a time zone offset.
 * @returns The schedule.
 * @throws {TypeError} When it is no moment in time.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { at } from "@leash/leash";
 *
 * const schedule = at("2030-01-01T00:00:00Z");
 * assertEquals(schedule.next(0), Date.UTC(2030, 0, 1));
 * ```
 */
export function at(
  date: Date | number | string | Temporal.Instant | Temporal.ZonedDateTime,
): Schedule {
  const moment = toEpoch(date);
  const next = (after: number): number | undefined => moment > after ? moment : undefined;
  return {
    kind: "at",
    description: `once at ${new Date(moment).toISOString()}`,
    base: "wall",
    sliding: false,
    jitter: 0,
    first: () => moment,
    next,
    count: (after, until) => moment > after && moment <= until ? 1 : 0,
  };
}

function toEpoch(date: Parameters<typeof at>[0]): number {
  let epoch = NaN;
  if (date instanceof Date) epoch = date.getTime();
  else if (typeof date === "number") epoch = date;
  else if (date instanceof Temporal.Instant || date instanceof Temporal.ZonedDateTime) {
    epoch = date.epochMilliseconds;
  } else if (typeof date === "string") {
    // Not `Date.parse`: it reads a date without an offset in the time zone of the machine.
    try {
      epoch = Temporal.Instant.from(date).epochMilliseconds;
    } catch {
      // The message below says it better.
    }
  }
  if (Number.isFinite(epoch) && Math.abs(epoch) <= 8.64e15) return epoch;
  throw new TypeError(
    `Cannot use ${
      Deno.inspect(date)
    } as the date of at(): expected a Date, milliseconds since the ` +
      `epoch, a Temporal.Instant, or a string such as "2030-01-01T00:00:00Z"`,
  );
}
