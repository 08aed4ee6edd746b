import { assertEquals } from "@std/assert";
import { dueTimes } from "../../src/cli/_due_times.ts";
import { after } from "../../src/schedule/after.ts";
import { at } from "../../src/schedule/at.ts";
import { continuous } from "../../src/schedule/continuous.ts";
import { cron } from "../../src/schedule/cron.ts";
import { every } from "../../src/schedule/every.ts";
import type { Schedule } from "../../src/schedule/schedule.ts";

const NOW = Date.parse("2026-07-01T10:00:30Z");

Deno.test("dueTimes() counts from now, on whichever clock the schedule is", () => {
  const cases: [schedule: Schedule, seconds: number[]][] = [
    [every({ minutes: 1 }), [60, 120, 180]],
    [every({ minutes: 1 }, { immediate: true }), [0, 60, 120]],
    [every({ minutes: 1 }, { align: true }), [30, 90, 150]],
    [cron("* * * * *"), [30, 90, 150]],
    [after({ seconds: 5 }), [5]],
    [at(NOW + 7_000), [7]],
    [at(NOW - 7_000), [-7]],
    [continuous(), [0]],
    [cron("0 0 30 2 *"), []],
  ];
  for (const [schedule, seconds] of cases) {
    assertEquals(
      dueTimes(schedule, NOW, 3).map((time) => (time - NOW) / 1_000),
      seconds,
      schedule.description,
    );
  }
});
