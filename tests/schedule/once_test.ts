import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { after } from "../../src/schedule/after.ts";
import { at } from "../../src/schedule/at.ts";
import { continuous } from "../../src/schedule/continuous.ts";
import type { Duration } from "../../src/base/duration.ts";

Deno.test("after() is due once, counted from its start", () => {
  const schedule = after({ seconds: 30 });
  assertEquals(schedule.first(1_000.5), 31_000.5);
  assertEquals(schedule.next(1_000.5, 1_000.5), 31_000.5);
  assertEquals(schedule.next(31_000.4, 1_000.5), 31_000.5);
  assertEquals(schedule.next(31_000.5, 1_000.5), undefined);
  assertEquals(schedule.next(1e15, 1_000.5), undefined);
  assertEquals(schedule.description, "once after 30s");
});

Deno.test("after() of 0 is due at once, and once", () => {
  const schedule = after(0);
  assertEquals(schedule.first(5), 5);
  assertEquals(schedule.next(5, 5), undefined);
});

Deno.test("after() and at() count their one due time, or none, also without an end", () => {
  for (const schedule of [after(100), at(100)]) {
    assertEquals(schedule.count(0, 99), 0);
    assertEquals(schedule.count(0, 100), 1);
    assertEquals(schedule.count(100, 1_000), 0);
    assertEquals(schedule.count(99, Infinity), 1);
    assertEquals(schedule.count(100, Infinity), 0);
    assertEquals(schedule.count(1_000, 0), 0);
  }
});

Deno.test("after() refuses delays that are negative or endless", () => {
  for (const bad of [-1, NaN, Infinity]) {
    assertThrows(() => after(bad), RangeError, "the delay of after()");
  }
  assertThrows(() => after("5m" as unknown as Duration), TypeError, "the delay of after()");
});

Deno.test("at() reads every kind of moment", () => {
  const moment = Date.UTC(2030, 5, 1, 10);
  const kinds = [
    new Date(moment),
    moment,
    Temporal.Instant.fromEpochMilliseconds(moment),
    Temporal.ZonedDateTime.from("2030-06-01T12:00:00[Europe/Berlin]"),
    "2030-06-01T10:00:00Z",
    "2030-06-01T12:00:00+02:00",
    "2030-06-01T12:00+02:00[Europe/Berlin]",
    "2030-06-01 10:00:00.000Z",
  ];
  for (const kind of kinds) {
    const schedule = at(kind);
    assertEquals(schedule.first(0), moment);
    assertEquals(schedule.next(moment - 0.001), moment);
    assertEquals(schedule.next(moment), undefined);
    assertEquals(schedule.base, "wall");
    assertStringIncludes(schedule.description, "2030-06-01T10:00:00.000Z");
  }
});

Deno.test("at() is not changed by a Date that is changed later", () => {
  const date = new Date(1_000);
  const schedule = at(date);
  date.setTime(5_000);
  assertEquals(schedule.first(0), 1_000);
});

Deno.test("at() a moment in the past is first due then, so at once, and never again", () => {
  const schedule = at("2000-01-01T00:00:00Z");
  const now = Date.UTC(2030, 0);
  assert(schedule.first(now)! < now);
  assertEquals(schedule.next(now), undefined);
  assertEquals(at(-1).first(0), -1);
});

Deno.test("at() refuses what is no moment, and texts that mean another one on each machine", () => {
  const bad: unknown[] = [
    "2030-06-01T10:00:00",
    "2030-06-01",
    "2030-06-01T10:00:00[Europe/Berlin]",
    "tomorrow",
    "",
    "2030-02-30T00:00:00Z",
    new Date(NaN),
    NaN,
    Infinity,
    8.65e15,
    null,
    undefined,
    {},
    5n,
    Temporal.PlainDate.from("2030-06-01"),
    Temporal.PlainDateTime.from("2030-06-01T10:00"),
  ];
  for (const date of bad) {
    const error = assertThrows(() => at(date as Date), TypeError, "as the date of at()");
    assertStringIncludes(error.message, Deno.inspect(date));
  }
});

Deno.test("continuous() is due at once, then one pause after the end of each run", () => {
  const schedule = continuous({ pause: { seconds: 10 } });
  assertEquals(schedule.first(7), 7);
  assertEquals(schedule.next(2_500.5, 7), 12_500.5);
  assertEquals([schedule.sliding, schedule.base], [true, "monotonic"]);
  assertEquals(schedule.count(0, 1e9), 0, "nothing can be missed");
  assertEquals(continuous().next(0), 1_000);
  assertEquals(continuous({ pause: 0 }).next(5), 5);
  assertEquals(continuous({ jitter: 0.5 }).jitter, 0.5);
});

Deno.test("continuous() refuses options that are out of range", () => {
  for (const pause of [-1, NaN, Infinity]) {
    assertThrows(() => continuous({ pause }), RangeError, "the pause of continuous()");
  }
  for (const jitter of [-0.1, NaN, Infinity]) {
    assertThrows(() => continuous({ jitter }), RangeError, "the jitter of continuous()");
  }
});
