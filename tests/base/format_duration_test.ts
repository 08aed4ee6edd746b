import { assertEquals } from "@std/assert";
import { formatDuration } from "../../src/base/format_duration.ts";

Deno.test("formatDuration() writes at most two units, in people's terms", () => {
  const cases: [milliseconds: number, text: string][] = [
    [0, "0ms"],
    [0.25, "0.3ms"],
    [40, "40ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [2_500, "2.5s"],
    [60_000, "1m"],
    [5_400_000, "1h 30m"],
    [86_400_000, "1d"],
    [90_061_001, "1d 1h"],
    [-2_500, "-2.5s"],
    [Infinity, "for ever"],
  ];
  for (const [milliseconds, text] of cases) assertEquals(formatDuration(milliseconds), text);
});

Deno.test("formatDuration() carries over what rounds up to the next unit", () => {
  assertEquals(formatDuration(999.6), "1s");
  assertEquals(formatDuration(59_960), "1m");
  assertEquals(formatDuration(59_999), "1m");
  assertEquals(formatDuration(3_599_700), "1h");
  assertEquals(formatDuration(86_399_900), "1d");
});
