import { assertEquals } from "@std/assert";
import { guardSink } from "../../src/base/events.ts";
import { report } from "../../src/base/report.ts";
import { captureReports } from "./_capture_reports.ts";

Deno.test("guardSink() hands events on, in order", () => {
  const events: number[] = [];
  const sink = guardSink<number>((event) => void events.push(event));
  for (let event = 0; event < 3; event++) sink(event);
  assertEquals(events, [0, 1, 2]);
});

Deno.test("guardSink() makes a sink of nothing", () => {
  guardSink<number>(undefined)(1);
});

Deno.test("guardSink() keeps the exception and the rejection of a sink from its caller", async () => {
  using captured = captureReports();
  const thrown = new Error("thrown");
  const rejected = new Error("rejected");
  guardSink(() => {
    throw thrown;
  })(1);
  guardSink((() => Promise.reject(rejected)) as () => void)(1);
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(captured.reports.map(([, error]) => error), [thrown, rejected]);
});

Deno.test("report() writes one line and never throws, whatever it is given", () => {
  using captured = captureReports();
  report("a word");
  report("an error", new Error("e"));
  report("a null", null);
  assertEquals(captured.reports.map(([line]) => line), [
    "leash: a word",
    "leash: an error:",
    "leash: a null:",
  ]);
});
