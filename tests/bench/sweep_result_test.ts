import { assertAlmostEquals, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { toVerdicts } from "../../bench/_sweep_bars.ts";
import type { ContestantName } from "../../bench/_sweep_contestant.ts";
import { replaced, toMarkdown } from "../../bench/_sweep_markdown.ts";
import {
  find,
  type Measure,
  metricOf,
  ratioOf,
  type Standing,
  toGrowth,
  valueOf,
} from "../../bench/_sweep_result.ts";
import type { Sample } from "../../bench/_sweep_sample.ts";

function sample(get: number, sweep?: number, removed = 500_000): Sample {
  const life = {
    set: 1,
    get,
    overwrite: 1,
    heap: 1,
    memory: 1,
    rss: 1,
    gc: 1,
    lost: 0,
    idleStall: 0,
  };
  const all = { main: sweep!, total: sweep!, wall: 1, stall: 1, slice: 1, removed };
  return { life, sweeps: sweep === undefined ? {} : { 50: all } };
}

function standing(name: ContestantName, ...samples: Sample[]): Standing {
  return { name, samples, notes: [] };
}

function million(...standings: Standing[]): Measure {
  return { entries: 1_000_000, standings };
}

Deno.test("a ratio is taken within a round, not between medians", () => {
  // Medians of 12 and 40 would say 0.3.
  const measure = million(
    standing("leash", sample(10), sample(80), sample(12)),
    standing("lru-cache", sample(40), sample(100), sample(12)),
  );
  const [own, other] = [find(measure, "leash"), find(measure, "lru-cache")];
  assertEquals(ratioOf(measure, own, other, metricOf("get")), 0.8);
  assertEquals(valueOf(measure, own, metricOf("get")), { median: 12, min: 10, max: 80 });
});

Deno.test("what was not measured has neither a value nor a ratio", () => {
  const measure = million(
    standing("leash", sample(10)),
    standing("lru-cache", sample(20, 4), sample(20, 6)),
  );
  const [own, other] = [find(measure, "leash"), find(measure, "lru-cache")];
  const metric = metricOf("sweep50.total");
  assertEquals(valueOf(measure, own, metric), undefined);
  assertEquals(ratioOf(measure, own, other, metric), undefined);
  assertEquals(ratioOf(measure, other, find(measure, "std"), metric), undefined);
  assertEquals(valueOf(measure, other, metric)?.median, 5);
});

Deno.test("a contestant of one round is compared with the others' first round", () => {
  const measure = million(
    standing("autopurge", sample(30)),
    standing("lru-cache", sample(10), sample(1), sample(1)),
  );
  const ratio = ratioOf(
    measure,
    find(measure, "autopurge"),
    find(measure, "lru-cache"),
    metricOf("get"),
  );
  assertEquals(ratio, 3);
});

Deno.test("rates are of the thread that sweeps", () => {
  const inWorker = sample(1, 100);
  const sweep = { ...inWorker.sweeps[50]!, main: 50 };
  const measure = million(
    standing("map", sample(1, 100)),
    standing("shared", { ...inWorker, sweeps: { 50: sweep } }),
  );
  const rates = (["map", "shared"] as const).map((name) =>
    ["scanned", "removed"].map((key) =>
      valueOf(measure, find(measure, name), metricOf(`sweep50.${key}`))?.median
    )
  );
  assertEquals(rates, [[10, 5], [20, 10]]);
});

Deno.test("toGrowth() tells how the cost follows the number of entries", () => {
  const at = (entries: number, map: number, shared: number): Measure => ({
    entries,
    standings: [standing("map", sample(1, map)), standing("shared", sample(1, shared))],
  });
  const [shared, map, none] = toGrowth([at(1e6, 200, 4), at(1e4, 2, 2), at(1e5, 20, 1)], 50);
  assertEquals(shared?.name, "shared");
  assertEquals(shared?.times, 2);
  assertAlmostEquals(shared!.exponent!, 0.1505, 1e-4);
  assertEquals(map?.points, [[1e4, 2], [1e5, 20], [1e6, 200]]);
  assertAlmostEquals(map!.exponent!, 1);
  assertEquals(none, undefined);
});

Deno.test("toVerdicts() says by how much a bar is missed", () => {
  const verdicts = toVerdicts([million(
    standing("leash", sample(15, 3)),
    standing("shared", sample(13, 2)),
    standing("lru-cache", sample(10, 10)),
  )]);
  const of = (title: string, bar: string) =>
    verdicts.find((verdict) => verdict.of === title && verdict.bar === bar);
  assertEquals(of("TtlCache", "get ≤ 1× lru-cache"), {
    of: "TtlCache",
    bar: "get ≤ 1× lru-cache",
    measured: "1.5×",
    isMet: false,
    verdict: "MISSED by 50 %",
  });
  assertEquals(of("TtlCache", "sweep CPU, 50 % ≤ 0.35× lru-cache")?.verdict, "met");
  assertEquals(of("SharedCache", "get ≤ 1.3× lru-cache")?.verdict, "met");
  // More is better: 250 M/s where 500 are asked for.
  assertEquals(of("SharedCache", "released, 50 % ≥ 500 M/s")?.verdict, "MISSED by 50 %");
  // Nothing to compare with.
  assertEquals(verdicts.filter(({ bar }) => bar.includes("Map")), []);
});

Deno.test("toVerdicts() judges only the number of entries that a bar is for", () => {
  const measure = { entries: 10_000, standings: [standing("leash", sample(1, 1))] };
  assertEquals(toVerdicts([measure]), []);
});

Deno.test("replaced() changes what is between the marks, and nothing else", () => {
  const text = "a\n<!-- sweep -->\nold\n<!-- /sweep -->\nb\n";
  assertEquals(
    replaced(text, "new"),
    "a\n<!-- sweep -->\n\nnew\n\n<!-- /sweep -->\nb\n",
  );
  assertThrows(() => replaced("a", "new"), Error, "Cannot write the README");
});

Deno.test("toMarkdown() names who was not measured, and which bars are missed", () => {
  const measures = [million(
    standing("leash", sample(15, 3)),
    standing("lru-cache", sample(10, 10)),
    { ...standing("std"), problem: "not measured: JSR does not answer" },
  )];
  const text = toMarkdown(measures, 50, toGrowth(measures, 50), toVerdicts(measures));
  assertStringIncludes(text, "@std/cache: not measured: JSR does not answer.");
  assertStringIncludes(text, "get ≤ 1× lru-cache (1.5×)");
  assertStringIncludes(text, "| **TtlCache** | 3 | 3 (0.3×) |");
});
