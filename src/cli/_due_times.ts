import type { Schedule } from "../schedule/schedule.ts";

/**
 * The next due times of a task that is started now.
 *
 * @param schedule Its schedule.
 * @param now The present, in milliseconds since the epoch.
 * @param count How many, at most. Of a loop only the first one is known: the others depend on how
 * long its runs take.
 * @returns Milliseconds since the epoch.
 */
export function dueTimes(schedule: Schedule, now: number, count: number): number[] {
  // Those of the monotonic clock are counted from the start, wherever that clock stands.
  const start = schedule.base === "wall" ? now : 0;
  const times: number[] = [];
  let due = schedule.first(start);
  while (due !== undefined && times.length < count) {
    times.push(due - start + now);
    if (schedule.sliding) break;
    // As a scheduler does: what is past is due once, and then no more.
    due = schedule.next(Math.max(due, start), start);
  }
  return times;
}
