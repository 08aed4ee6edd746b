import { assert, assertEquals } from "@std/assert";
import { after, at, continuous, cron, every, type Schedule } from "../../src/schedule/mod.ts";

const HOUR = 3_600_000;
/** Around both changes of the clocks in Berlin, and where they do not change. */
const STARTS = ["2026-03-28T20:00:00Z", "2026-10-24T20:00:00Z", "2026-07-01T00:00:00Z"]
  .map((text) => Date.parse(text));

/** Schedules of every kind, except the sliding one, for a task that starts at `start`. */
function schedules(start: number): Schedule[] {
  const zones = ["UTC", "Europe/Berlin", "Australia/Lord_Howe"];
  const expressions = [
    "*/30 * * * *",
    "30 2 * * *",
    "0 2 * * *",
    "*/20 1-3 * * *",
    "0 0 * * *",
    "7 */3 * * *",
  ];
  return [
    every({ minutes: 7 }),
    every({ minutes: 7 }, { immediate: true }),
    every(1_234_567.89),
    every({ minutes: 45 }, { align: true }),
    every({ minutes: 45 }, { align: true, immediate: true }),
    after(0),
    after({ hours: 5 }),
    at(start - HOUR),
    at(start),
    at(start + 5 * HOUR + 0.5),
    ...zones.flatMap((timeZone) => expressions.map((each) => cron(each, { timeZone }))),
  ];
}

/** Each due time in (from, until], one after the other. */
function walk(schedule: Schedule, from: number, until: number, start: number): number[] {
  const times: number[] = [];
  let due = schedule.next(from, start);
  while (due !== undefined && due <= until) {
    times.push(due);
    due = schedule.next(due, start);
  }
  return times;
}

/** Calls `check` for every schedule from every start, some of them with a fraction. */
function forEach(check: (schedule: Schedule, start: number, name: string) => void): void {
  for (const whole of STARTS) {
    for (const start of [whole, whole + 61_000.123_4]) {
      for (const schedule of schedules(start)) {
        check(schedule, start, `${schedule.description} from ${new Date(start).toISOString()}`);
      }
    }
  }
}

Deno.test("next() is later than the moment it is asked for, and skips nothing before it", () => {
  forEach((schedule, start, name) => {
    const until = start + 12 * HOUR;
    const times = walk(schedule, start, until, start);
    for (let index = 1; index < times.length; index++) {
      assert(times[index]! > times[index - 1]!, `${name}: not later`);
    }
    const moments = [
      ...Array.from({ length: 24 }, (_, index) => start + index * 30 * 60_000 * 0.999_7),
      ...times.slice(0, 12).flatMap((due) => [due - 1, due - 0.25, due, due + 0.25, due + 1]),
    ].filter((moment) => moment >= start);
    for (const moment of moments) {
      const next = schedule.next(moment, start);
      assert(next === undefined || next > moment, `${name}: ${next} is not later than ${moment}`);
      const expected = times.find((due) => due > moment);
      if (expected !== undefined) assertEquals(next, expected, `${name} at ${moment}`);
    }
  });
});

Deno.test("next() never falls as the moment grows", () => {
  forEach((schedule, start, name) => {
    let last = -Infinity;
    for (let moment = start; moment < start + 12 * HOUR; moment += 19 * 60_000 + 0.37) {
      const next = schedule.next(moment, start) ?? Infinity;
      assert(next >= last, `${name}: ${next} after ${last}`);
      last = next;
    }
  });
});

Deno.test("count() is the number of steps that next() makes", () => {
  forEach((schedule, start, name) => {
    for (const [from, until] of [[0, 12], [0.3, 5.7], [3, 3], [5, 2], [6, 6.01]] as const) {
      const [a, b] = [start + from * HOUR, start + until * HOUR];
      assertEquals(schedule.count(a, b, start), walk(schedule, a, b, start).length, name);
    }
    for (const due of walk(schedule, start, start + 3 * HOUR, start)) {
      assertEquals(schedule.count(due, due, start), 0, name);
      assertEquals(schedule.count(due - 0.001, due, start), 1, name);
    }
  });
});

Deno.test("count() of two spans is the count of the span that they make", () => {
  forEach((schedule, start, name) => {
    const until = start + 12 * HOUR;
    const whole = schedule.count(start, until, start);
    for (const part of [1, 2.5, 6.2, 11.999]) {
      const middle = start + part * HOUR;
      const parts = schedule.count(start, middle, start) + schedule.count(middle, until, start);
      assertEquals(parts, whole, name);
    }
  });
});

Deno.test("first() is the start, a moment of the past, or what next() gives", () => {
  forEach((schedule, start, name) => {
    const first = schedule.first(start);
    if (first !== undefined && first <= start) {
      assert(/^(every|once)/.test(schedule.description), name);
    } else {
      assertEquals(first, schedule.next(start, start), name);
    }
  });
});

Deno.test("a schedule keeps no state: what it was asked before changes nothing", () => {
  forEach((schedule, start, name) => {
    const ask = (): unknown[] => [
      schedule.first(start),
      schedule.next(start + HOUR, start),
      schedule.count(start, start + 5 * HOUR, start),
    ];
    const before = ask();
    schedule.next(start + 100 * HOUR, start);
    schedule.first(0);
    assertEquals(ask(), before, name);
  });
});

Deno.test("a sliding schedule is never due before the end of the run", () => {
  for (const pause of [0, 0.001, 1, 86_400_000]) {
    const schedule = continuous({ pause });
    for (const end of [0, 0.5, 1e12 + 0.25]) assert(schedule.next(end)! >= end);
  }
});
