import { assertEquals } from "@std/assert";
import { cron } from "../../src/schedule/cron.ts";

/**
 * The due times of one night, as the clocks on the wall show them, with `'` where they show that time
 * for the second time.
 */
function night(expression: string, timeZone: string, from: string, until: string): string {
  const schedule = cron(expression, { timeZone });
  const end = Date.parse(until);
  const wall = (time: number): Temporal.ZonedDateTime =>
    Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
  const times: string[] = [];
  let due = schedule.next(Date.parse(from) - 1);
  while (due !== undefined && due <= end) {
    const local = wall(due);
    const first = local.toPlainDateTime().toZonedDateTime(timeZone, { disambiguation: "earlier" });
    const repeated = first.epochMilliseconds < due;
    times.push(local.toPlainTime().toString({ smallestUnit: "minute" }) + (repeated ? "'" : ""));
    due = schedule.next(due);
  }
  assertEquals(schedule.count(Date.parse(from) - 1, end), times.length);
  return times.join(" ");
}

/** From 00:00 to 04:00 on the night in which 02:00 to 03:00 is left out. */
const berlinForward = (expression: string): string =>
  night(expression, "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T02:00:00Z");

/** From 00:00 to 04:00 on the night in which 02:00 to 03:00 comes twice. */
const berlinBack = (expression: string): string =>
  night(expression, "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T03:00:00Z");

Deno.test("one time of day is due once where the clocks go forward over it: at the change", () => {
  for (const time of ["0 2", "30 2", "59 2", "15 30 2", "30 2-2"]) {
    assertEquals(berlinForward(`${time} * * *`), "03:00", time);
  }
  assertEquals(berlinForward("30 2 29 3 *"), "03:00");
  assertEquals(berlinForward("30 2 * * SUN"), "03:00");
  assertEquals(berlinForward("30 1 * * *"), "01:30");
  assertEquals(berlinForward("0 3 * * *"), "03:00");
  assertEquals(berlinForward("30 3 * * *"), "03:30");
});

Deno.test("one time of day is due once where the clocks go back over it: the first time", () => {
  for (const time of ["30 2", "0 30 2", "30 2-2"]) {
    assertEquals(berlinBack(`${time} * * *`), "02:30", time);
  }
  assertEquals(berlinBack("0 2 * * *"), "02:00");
  assertEquals(berlinBack("30 2 25 10 *"), "02:30");
  assertEquals(berlinBack("30 1 * * *"), "01:30");
  assertEquals(berlinBack("0 3 * * *"), "03:00");
});

Deno.test("half-hourly goes on every 30 minutes through both nights", () => {
  assertEquals(berlinForward("*/30 * * * *"), "00:00 00:30 01:00 01:30 03:00 03:30 04:00");
  assertEquals(
    berlinBack("*/30 * * * *"),
    "00:00 00:30 01:00 01:30 02:00 02:30 02:00' 02:30' 03:00 03:30 04:00",
  );
  const { next } = cron("*/30 * * * *", { timeZone: "Europe/Berlin" });
  for (const start of ["2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z"]) {
    let due = Date.parse(start);
    for (let step = 0; step < 48; step++) {
      assertEquals(next(due), due + 30 * 60_000);
      due += 30 * 60_000;
    }
  }
});

Deno.test("any other expression is never due in the hour that is left out", () => {
  for (const time of ["*/20 2", "20,40 2", "* 2", "*/15 30 2"]) {
    assertEquals(berlinForward(`${time} * * *`), "", time);
  }
  assertEquals(berlinForward("30 2,3 * * *"), "03:30");
  assertEquals(berlinForward("30 1-2 * * *"), "01:30");
  assertEquals(berlinForward("30 */2 * * *"), "00:30");
  assertEquals(berlinForward("30 * * * *"), "00:30 01:30 03:30");
});

Deno.test("any other expression is due twice in the hour that is repeated", () => {
  assertEquals(berlinBack("0,30 2 * * *"), "02:00 02:30 02:00' 02:30'");
  assertEquals(berlinBack("30 2,3 * * *"), "02:30 02:30' 03:30");
  assertEquals(berlinBack("30 1-2 * * *"), "01:30 02:30 02:30'");
  assertEquals(berlinBack("30 */2 * * *"), "00:30 02:30 02:30'");
  assertEquals(berlinBack("30 * * * *"), "00:30 01:30 02:30 02:30' 03:30");
});

Deno.test("Lord Howe Island moves its clocks by half an hour", () => {
  const forward = (expression: string): string =>
    night(expression, "Australia/Lord_Howe", "2026-10-03T14:30:00Z", "2026-10-03T17:00:00Z");
  assertEquals(
    forward("*/15 * * * *"),
    "01:00 01:15 01:30 01:45 02:30 02:45 03:00 03:15 03:30 03:45 04:00",
  );
  assertEquals(forward("15 2 * * *"), "02:30");
  assertEquals(forward("45 2 * * *"), "02:45");
  assertEquals(forward("0 * * * *"), "01:00 03:00 04:00");

  const back = (expression: string): string =>
    night(expression, "Australia/Lord_Howe", "2026-04-04T14:00:00Z", "2026-04-04T16:30:00Z");
  assertEquals(
    back("*/15 * * * *"),
    "01:00 01:15 01:30 01:45 01:30' 01:45' 02:00 02:15 02:30 02:45 03:00",
  );
  assertEquals(back("45 1 * * *"), "01:45");
  assertEquals(back("15 1 * * *"), "01:15");
  assertEquals(back("0 * * * *"), "01:00 02:00 03:00");
});

Deno.test("midnight is due once in a year where the clocks go forward at midnight", () => {
  const saoPaulo = (expression: string): string =>
    night(expression, "America/Sao_Paulo", "2018-11-04T02:30:00Z", "2018-11-04T04:00:00Z");
  assertEquals(saoPaulo("0 0 * * *"), "01:00");
  assertEquals(saoPaulo("0 * * * *"), "01:00 02:00");
});

Deno.test("a day that is left out is left out: it has no moment that could stand for it", () => {
  // Samoa went from the 29th to the 31st of December 2011.
  const { next } = cron("0 12 * * *", { timeZone: "Pacific/Apia" });
  const first = next(Date.parse("2011-12-29T12:00:00Z"))!;
  assertEquals(new Date(first).toISOString(), "2011-12-29T22:00:00.000Z");
  assertEquals(new Date(next(first)!).toISOString(), "2011-12-30T22:00:00.000Z");
});
