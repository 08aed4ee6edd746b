import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { cron } from "../../src/schedule/cron.ts";

const DAY = 86_400_000;
const at = (text: string): number => Date.parse(text);
const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().replace(":00.000Z", "Z");

Deno.test("cron() is due each night of a year, to the millisecond", () => {
  const schedule = cron("0 3 * * *");
  let due = schedule.first(at("2027-12-31T12:00:00Z"))!;
  for (let day = 0; day < 366; day++) {
    assertEquals(due, Date.UTC(2028, 0, 1, 3) + day * DAY);
    due = schedule.next(due)!;
  }
  assertEquals(schedule.count(at("2028-01-01T00:00:00Z"), at("2029-01-01T00:00:00Z")), 366);
});

Deno.test("cron() is due later than the moment given, also within a second", () => {
  const schedule = cron("* * * * *");
  const due = at("2030-01-01T00:01:00Z");
  for (const before of [0.001, 0.5, 1, 499, 999, 1_000, 1_001, 59_999, 60_000]) {
    assertEquals(schedule.next(due - before), due, `${before} ms before`);
  }
  for (const behind of [0, 0.001, 0.5, 1, 999, 59_999.9]) {
    assertEquals(schedule.next(due + behind), due + 60_000, `${behind} ms behind`);
  }
  const seconds = cron("* * * * * *");
  assertEquals(seconds.next(due - 0.001), due);
  assertEquals(seconds.next(due), due + 1_000);
  assertEquals(seconds.next(due + 999.999), due + 1_000);
});

Deno.test("cron() holds to that before the epoch too", () => {
  const schedule = cron("* * * * *");
  assertEquals(schedule.next(-0.5), 0);
  assertEquals(schedule.next(-60_000.5), -60_000);
  assertEquals(schedule.next(-60_000), 0);
});

Deno.test("cron() reads six fields with the seconds first", () => {
  const schedule = cron("*/20 30 12 * * *");
  const start = at("2030-01-01T00:00:00Z");
  assertEquals(iso(schedule.first(start)), "2030-01-01T12:30Z");
  assertEquals(schedule.count(start, start + DAY), 3);
});

Deno.test("cron() reads names, steps, lists, ranges, L, # and W", () => {
  const from = at("2030-01-02T00:00:00Z"); // a Wednesday
  const cases: [expression: string, due: string][] = [
    ["0 0 * * MON", "2030-01-07T00:00Z"],
    ["0 0 * * 0", "2030-01-06T00:00Z"],
    ["0 0 * * 7", "2030-01-06T00:00Z"],
    ["0 0 1 FEB *", "2030-02-01T00:00Z"],
    ["15-20/5,50 * * * *", "2030-01-02T00:15Z"],
    ["0 0 L * *", "2030-01-31T00:00Z"],
    ["0 0 * * 5#3", "2030-01-18T00:00Z"],
    ["0 0 * * FRI#L", "2030-01-25T00:00Z"],
    ["0 0 5W * *", "2030-01-04T00:00Z"], // the 5th is a Saturday
    ["0 0 13 * FRI", "2030-01-04T00:00Z"], // day of month or day of week
    ["@daily", "2030-01-03T00:00Z"],
  ];
  for (const [expression, due] of cases) assertEquals(iso(cron(expression).next(from)), due);
});

Deno.test("cron() waits for the leap day, also across 2100", () => {
  const schedule = cron("0 0 29 2 *");
  assertEquals(iso(schedule.next(at("2026-01-01T00:00:00Z"))), "2028-02-29T00:00Z");
  assertEquals(iso(schedule.next(at("2028-02-29T00:00:00Z"))), "2032-02-29T00:00Z");
  assertEquals(iso(schedule.next(at("2096-03-01T00:00:00Z"))), "2104-02-29T00:00Z");
});

Deno.test("cron() is never due, and does not hang, when no day matches", () => {
  for (const expression of ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 2 *"]) {
    const schedule = cron(expression, { timeZone: "Europe/Berlin" });
    assertEquals(schedule.first(Date.UTC(2026, 0)), undefined);
    assertEquals(schedule.next(Date.UTC(2026, 0)), undefined);
    assertEquals(schedule.count(0, 1e14), 0);
  }
});

Deno.test("cron() reads its fields in UTC, or in the time zone that it is given", () => {
  const from = at("2026-07-01T00:00:00Z");
  const zones: [timeZone: string | undefined, due: string][] = [
    [undefined, "2026-07-01T09:30Z"],
    ["UTC", "2026-07-01T09:30Z"],
    ["Asia/Kolkata", "2026-07-01T04:00Z"],
    ["Asia/Kathmandu", "2026-07-01T03:45Z"],
    ["America/St_Johns", "2026-07-01T12:00Z"],
    ["Pacific/Kiritimati", "2026-07-01T19:30Z"],
    ["Pacific/Pago_Pago", "2026-07-01T20:30Z"],
  ];
  for (const [timeZone, due] of zones) {
    assertEquals(iso(cron("30 9 * * *", { timeZone }).next(from)), due, timeZone);
  }
});

Deno.test("cron() counts from behind the first moment to the second, up to 1,000", () => {
  const schedule = cron("0 * * * *");
  const noon = at("2030-01-01T12:00:00Z");
  assertEquals(schedule.count(noon, noon), 0);
  assertEquals(schedule.count(noon - 1, noon), 1);
  assertEquals(schedule.count(noon, noon + 3_600_000 - 1), 0);
  assertEquals(schedule.count(noon, noon + 3_600_000), 1);
  assertEquals(schedule.count(noon, noon - DAY), 0);
  assertEquals(cron("* * * * * *").count(noon, noon + 100 * DAY), 1_000);
});

Deno.test("cron() refuses expressions that it cannot read, and says which", () => {
  const bad = [
    "",
    "2026-01-01T00:00:00",
    "* * * *",
    "* * * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * 32 * *",
    "* * * 13 *",
    "* * * * 8",
    "*/0 * * * *",
    "5-1 * * * *",
    "1,,2 * * * *",
    "a b c d e",
    "-1 * * * *",
    "1.5 * * * *",
    "@reboot",
    "@every 5m",
    "every minute",
  ];
  for (const expression of bad) {
    const error = assertThrows(
      () => cron(expression),
      TypeError,
      "Cannot read the cron expression",
    );
    assertStringIncludes(error.message, `"${expression}"`);
    assert(error.cause instanceof Error);
  }
  for (const expression of [undefined, null, 5, {}, ["* * * * *"]]) {
    assertThrows(() => cron(expression as unknown as string), TypeError, "expected a string");
  }
});

Deno.test("cron() refuses time zones that are not known, before it says a word of the expression", () => {
  for (const timeZone of ["Mars/Phobos", "", "Berlin", "CEST+1", null, 5]) {
    const make = (): unknown => cron("0 3 * * *", { timeZone: timeZone as string });
    const error = assertThrows(make, RangeError, "Cannot use the time zone");
    assertStringIncludes(error.message, Deno.inspect(timeZone));
  }
});

Deno.test("cron() describes itself, and arms no timer", () => {
  // A timer would be found by the sanitizer of this test.
  const schedule = cron("0 3 * * *", { timeZone: "Europe/Berlin" });
  assertEquals(schedule.description, "cron 0 3 * * * Europe/Berlin");
  assertEquals(cron("0 3 * * *").description, "cron 0 3 * * *");
  assertEquals([schedule.kind, schedule.base, schedule.sliding], ["cron", "wall", false]);
});
