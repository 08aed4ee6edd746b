import type { SchedulerEvent } from "../scheduler/events.ts";
import { describe, describeAnyValue } from "./_describe.ts";
import { toJson } from "./_json.ts";
import { LiveView } from "./_live_view.ts";
import type { Output } from "./_output.ts";
import { StatusView } from "./_status_view.ts";
import type { View, ViewOptions } from "./_view.ts";

/**
 * The ways to show it. `"json"`: each event; `"json-results"`: each run; `"status"`: on a terminal a
 * line that is gone at the end, elsewhere nothing.
 */
export type ViewKind = "live" | "plain" | "json" | "json-results" | "status";

/** The way that fits the output, unless the person wants another one. */
export function chooseView(
  output: Output,
  wanted: { readonly json?: boolean; readonly plain?: boolean },
): "live" | "plain" | "json" {
  if (wanted.json) return "json";
  return wanted.plain || !output.isTerminal ? "plain" : "live";
}

/** Makes a view. */
export function createView(kind: ViewKind, output: Output, options: ViewOptions): View {
  switch (kind) {
    case "live":
      return new LiveView(output, options);
    case "plain":
      return plainView(output, options);
    case "status":
      return new StatusView(output, options.title);
    case "json":
      return jsonView(output, (event) => event.type === "run-progress" ? undefined : event);
    case "json-results":
      return jsonView(output, (event) => event.type === "run-ended" ? event.result : undefined);
  }
}

/** A line for each run and each problem. */
function plainView(output: Output, options: ViewOptions): View {
  const { tasks, describeValue = describeAnyValue } = options;
  const { stamp = (at: number) => new Date(at).toISOString() } = options;
  return {
    event(event) {
      const nextDue = event.type === "run-ended"
        ? tasks().find(({ name }) => name === event.task)?.nextDue
        : undefined;
      const nextIn = nextDue === undefined ? undefined : nextDue - event.at;
      const line = describe(event, describeValue, nextIn);
      if (line !== undefined) output.write(`${stamp(event.at)} ${line}\n`);
    },
    say(text) {
      output.write(`${stamp(Date.now())} ${text}\n`);
    },
    [Symbol.dispose]() {},
  };
}

/** An object on a line for each event. What is said to people is left out: there is an event for it. */
function jsonView(output: Output, select: (event: SchedulerEvent) => unknown): View {
  return {
    event(event) {
      const selected = select(event);
      if (selected !== undefined) output.write(`${toJson(selected)}\n`);
    },
    say() {},
    [Symbol.dispose]() {},
  };
}
