import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type Duration, toMilliseconds } from "../../src/base/duration.ts";

const ms = (duration: unknown, limits?: Parameters<typeof toMilliseconds>[2]): number =>
  toMilliseconds(duration as Duration, "the wait", limits);

Deno.test("toMilliseconds() takes numbers as they are", () => {
  for (const value of [0, 1, 0.25, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
    assertEquals(ms(value), value);
  }
});

Deno.test("toMilliseconds() adds up units, also fractions and mixed signs", () => {
  assertEquals(ms({ weeks: 1 }), 604_800_000);
  assertEquals(ms({ days: 1 }), 86_400_000);
  assertEquals(ms({ hours: 1.5 }), 5_400_000);
  assertEquals(
    ms({ weeks: 1, days: 1, hours: 1, minutes: 1, seconds: 1, milliseconds: 1 }),
    694_861_001,
  );
  assertEquals(ms({ minutes: 5, seconds: -10 }), 290_000);
});

Deno.test("toMilliseconds() takes a Temporal.Duration of any exact unit", () => {
  const from = (text: string): number => ms(Temporal.Duration.from(text));
  assertEquals(from("PT90S"), 90_000);
  assertEquals(from("P1D"), 86_400_000);
  assertEquals(from("P2W3DT4H"), 2 * 604_800_000 + 3 * 86_400_000 + 4 * 3_600_000);
  assertEquals(from("PT0.0005S"), 0.5);
  assertEquals(from("PT0S"), 0);
});

Deno.test("toMilliseconds() refuses units whose length depends on a date", () => {
  for (const text of ["P1M", "P1Y", "P1Y2M3W", "-P1M"]) {
    assertThrows(() => ms(Temporal.Duration.from(text)), RangeError, "without months and years");
  }
});

Deno.test("toMilliseconds() refuses what is negative, NaN or endless", () => {
  const bad = [
    -1,
    -0.001,
    NaN,
    Infinity,
    -Infinity,
    { minutes: -1 },
    { minutes: NaN },
    { hours: Infinity },
    { hours: Infinity, minutes: -Infinity },
    Temporal.Duration.from("-PT1S"),
    Temporal.Duration.from("-P1W"),
  ];
  for (const value of bad) assertThrows(() => ms(value), RangeError, "the wait");
});

Deno.test("toMilliseconds() takes Infinity only where it is allowed, and never NaN", () => {
  const limits = { allowInfinity: true };
  assertEquals(ms(Infinity, limits), Infinity);
  assertEquals(ms({ days: Infinity }, limits), Infinity);
  assertThrows(() => ms(NaN, limits), RangeError);
  assertThrows(() => ms(-Infinity, limits), RangeError);
});

Deno.test("toMilliseconds() holds to the minimum exactly", () => {
  assertEquals(ms(1, { minimum: 1 }), 1);
  assertThrows(() => ms(1 - Number.EPSILON, { minimum: 1 }), RangeError, "at least 1 ms");
  assertThrows(() => ms(-Number.MIN_VALUE), RangeError, "at least 0 ms");
});

Deno.test("toMilliseconds() refuses what is no duration with a TypeError that shows it", () => {
  const bad: [value: unknown, shown: string][] = [
    ["5m", `"5m"`],
    ["5", `"5"`],
    ["", `""`],
    [null, "null"],
    [undefined, "undefined"],
    [true, "true"],
    [5n, "5"],
    [Symbol("s"), "Symbol(s)"],
    [{}, "{}"],
    [[], "[]"],
    [[5], "[ 5 ]"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new Map([["minutes", 5]]), "Map(1)"],
    [{ minute: 5 }, "minute: 5"],
    [{ months: 1 }, "months: 1"],
    [{ minutes: "5" }, `minutes: "5"`],
    [{ minutes: undefined }, "minutes: undefined"],
    [{ minutes: 1, years: 0 }, "years: 0"],
  ];
  for (const [value, shown] of bad) {
    const error = assertThrows(() => ms(value), TypeError);
    assertStringIncludes(error.message, shown);
    assertStringIncludes(error.message, "as the wait: expected");
  }
});

Deno.test("toMilliseconds() does not take names of Object.prototype for units", () => {
  for (const name of ["toString", "constructor", "valueOf", "hasOwnProperty"]) {
    assertThrows(() => ms({ [name]: 1 }), TypeError, name);
  }
});
