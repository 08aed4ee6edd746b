import { formatDuration } from "../base/format_duration.ts";
import { describeEvent } from "../scheduler/console_sink.ts";
import type { SchedulerEvent } from "../scheduler/events.ts";
import type { RunResult } from "../scheduler/run_result.ts";
import { formatCount, formatWait } from "./_format.ts";
import { OUTCOME_MARKS } from "./_table.ts";
import { sanitize, truncate } from "./_text.ts";

/** Says in a few words what a run returned; `""` when there is nothing worth saying. */
export type DescribeValue = (value: unknown, task: string) => string;

/** The longest description of a value. */
const LONGEST = 120;
/** So many fields of an object are named. */
const FIELDS = 5;

/**
 * What a task returned, in a few words: of an object the first numbers that are not 0, or what else
 * it has; of anything else the beginning.
 */
export const describeAnyValue: DescribeValue = (value) => {
  if (value === undefined) return "";
  if (typeof value === "number") return formatCount(value);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const numbers = Object.entries(value).filter(([, field]) =>
      typeof field === "number" && field !== 0
    );
    if (numbers.length > 0) {
      return numbers.slice(0, FIELDS).map(([name, field]) => `${name} ${formatCount(field)}`)
        .join(", ");
    }
  }
  const text = typeof value === "string"
    ? value
    : Deno.inspect(value, { breakLength: Infinity, compact: true, colors: false });
  return truncate(sanitize(text), LONGEST);
};

/**
 * An event as one line for people, or `undefined` where there is nothing worth a line.
 *
 * @param event The event.
 * @param describeValue What to say of the value of a run.
 * @param nextIn When the task of the event is due next, in milliseconds from now.
 */
export function describe(
  event: SchedulerEvent,
  describeValue: DescribeValue,
  nextIn?: number,
): string | undefined {
  if (event.type !== "run-ended") {
    const line = describeEvent(event);
    return line === undefined ? undefined : `· ${sanitize(line)}`;
  }
  const { result } = event;
  const line = result.outcome === "succeeded" ? success(result, describeValue) : undefined;
  const next = nextIn === undefined ? "" : ` (next ${nextIn <= 0 ? "now" : `in ${wait(nextIn)}`})`;
  return `${OUTCOME_MARKS[result.outcome][0]} ${sanitize(line ?? describeEvent(event)!)}${next}`;
}

function success({ task, duration, value }: RunResult, describeValue: DescribeValue): string {
  const text = describeValue(value, task);
  return `${task} succeeded in ${formatDuration(duration)}${text === "" ? "" : `: ${text}`}`;
}

function wait(milliseconds: number): string {
  return formatWait(milliseconds).replace(/\.0s$/, "s");
}
