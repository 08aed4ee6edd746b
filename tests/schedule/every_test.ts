import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Duration } from "../../src/base/duration.ts";
import { every } from "../../src/schedule/every.ts";

Deno.test("every() is first due after one interval, or at once", () => {
  assertEquals(every({ minutes: 5 }).first(1_000), 301_000);
  assertEquals(every({ minutes: 5 }, { immediate: true }).first(1_000), 1_000);
  assertEquals(every({ minutes: 5 }, { immediate: true }).next(1_000, 1_000), 301_000);
});

Deno.test("every() keeps its grid over 1,000,000 intervals from a fractional start", () => {
  for (const step of [1, 7, 333.3, 60_000, 1_234.567]) {
    const schedule = every(step);
    const start = 123_456.789_012_3;
    let due = schedule.first(start)!;
    for (let index = 1; index <= 1_000_000; index++) {
      // Exactly, not nearly: an error of the last digit would add up.
      if (due !== start + index * step) {
        assertEquals(due, start + index * step, `interval ${index} of ${step}`);
      }
      const next = schedule.next(due, start)!;
      assert(next > due);
      due = next;
    }
    assertEquals(schedule.count(start, start + 1_000_000 * step, start), 1_000_000);
  }
});

Deno.test("every() is due at the next slot of the grid however late a run began", () => {
  const schedule = every(100);
  assertEquals(schedule.next(1_000, 1_000), 1_100);
  assertEquals(schedule.next(1_000.001, 1_000), 1_100);
  assertEquals(schedule.next(1_099.999, 1_000), 1_100);
  assertEquals(schedule.next(1_100, 1_000), 1_200);
  assertEquals(schedule.next(987_654_321.5, 1_000), 987_654_400);
});

Deno.test("every() loses no slot and repeats none a moment before, at and after each", () => {
  for (const step of [1, 1.1, 100 / 3, 60_000, 86_400_000 / 7]) {
    for (const start of [0, 0.1, 1_234.567_891, 987_654.321, 1.7e12 + 0.3]) {
      const schedule = every(step);
      for (let index = 1; index < 3_000; index++) {
        const slot = start + index * step;
        // The next number that a double can be, down and up.
        const ulp = 2 ** (Math.floor(Math.log2(slot)) - 52);
        assertEquals(schedule.next(slot - ulp, start), slot, "lost a moment before it");
        assertEquals(schedule.next(slot, start), start + (index + 1) * step);
        assertEquals(schedule.next(slot + ulp, start), start + (index + 1) * step);
        assertEquals(schedule.count(slot - ulp, slot, start), 1);
        assertEquals(schedule.count(slot, slot + ulp, start), 0);
      }
    }
  }
});

Deno.test("every() aligns to the epoch, on both sides of it, wherever it starts", () => {
  const hourly = every({ hours: 1 }, { align: true });
  assertEquals(hourly.base, "wall");
  const iso = (time: number | undefined): string => new Date(time!).toISOString();
  const start = Date.parse("2030-01-01T10:20:30Z");
  assertEquals(iso(hourly.first(start)), "2030-01-01T11:00:00.000Z");
  assertEquals(iso(hourly.next(start, start)), "2030-01-01T11:00:00.000Z");
  assertEquals(
    iso(hourly.next(Date.parse("2030-01-01T11:00:00Z"), start)),
    "2030-01-01T12:00:00.000Z",
  );
  assertEquals(hourly.next(-1), 0);
  assertEquals(hourly.next(0), 3_600_000);
  assertEquals(hourly.next(-3_600_000), 0);
  assertEquals(hourly.next(-3_600_001), -3_600_000);
  assertEquals(hourly.count(-3_600_001, 3_600_000), 3);
  const now = every({ hours: 1 }, { align: true, immediate: true });
  assertEquals(now.first(start), start);
  assertEquals(iso(now.next(start, start)), "2030-01-01T11:00:00.000Z");
});

Deno.test("every() counts on the monotonic clock unless it is aligned", () => {
  assertEquals([every(5).base, every(5, { align: true }).base], ["monotonic", "wall"]);
  assertEquals([every(5).kind, every(5).sliding, every(5).jitter], ["every", false, 0]);
  assertEquals(every({ minutes: 5 }).description, "every 5m");
});

Deno.test("every().count() has the open end before and the closed end behind", () => {
  const { count } = every(100);
  assertEquals(count(0, 99), 0);
  assertEquals(count(0, 100), 1);
  assertEquals(count(100, 100), 0);
  assertEquals(count(100, 299), 1);
  assertEquals(count(100, 300), 2);
  assertEquals(count(300, 100), 0, "never negative");
  assertEquals(count(0, 1e12), 1e10, "in no time");
});

Deno.test("every() takes Temporal durations, and refuses what is shorter than 1 ms or endless", () => {
  assertEquals(every(Temporal.Duration.from("PT2M")).first(0), 120_000);
  assertEquals(every(1).first(0), 1);
  for (const bad of [0, 0.999, -1, NaN, Infinity, { minutes: 0 }]) {
    assertThrows(() => every(bad), RangeError, "the interval of every()");
  }
  assertThrows(() => every("5m" as unknown as Duration), TypeError, "the interval of every()");
});
