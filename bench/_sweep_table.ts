import { type ContestantName, CONTESTANTS } from "./_sweep_contestant.ts";
import { figure } from "./_pool_result.ts";
import type { Verdict } from "./_sweep_bars.ts";
import {
  find,
  type Growth,
  LIFE,
  type Measure,
  type Metric,
  ratioOf,
  READS,
  type Standing,
  sweepMetrics,
  valueOf,
} from "./_sweep_result.ts";

/** Who takes part, and how each is swept. */
export function printContestants(names: readonly ContestantName[]): string {
  return grid(names.map((name) => [CONTESTANTS[name].title, CONTESTANTS[name].remark]), "start");
}

/** All tables of one number of entries: ratios first, because absolute values depend on the machine. */
export function printMeasure(measure: Measure, shares: readonly number[]): string {
  const { entries, standings } = measure;
  const measured = standings.filter(({ problem }) => problem === undefined);
  const base = find(measure, "lru-cache");
  const table = (title: string, metrics: Metric[]) => [
    "",
    title,
    grid([
      ["", ...metrics.map((metric) => metric.title)],
      ...measured.map((standing) => [
        CONTESTANTS[standing.name].title,
        ...metrics.map((metric) => cell(measure, standing, base, metric)),
      ]),
    ]),
  ];
  const medians = (standing: Standing, pair: Metric[]) =>
    pair.map((metric) => text(valueOf(measure, standing, metric)?.median)).join(" → ");
  return [
    `${figure(entries)} entries; times lru-cache, median (range) of the rounds`,
    ...standings.flatMap(({ name, problem, notes }) =>
      [problem ?? [], notes].flat().map((note) => `  ${CONTESTANTS[name].title}: ${note}`)
    ),
    ...table("what entries cost", LIFE),
    "",
    "a read each 50 µs, idle → while 10 % expire and are swept",
    grid([
      ["", ...READS.map(([{ title }]) => title)],
      ...measured.map((standing) => [
        CONTESTANTS[standing.name].title,
        ...READS.map((pair) => medians(standing, pair)),
      ]),
    ]),
    ...shares.flatMap((share) => table(`a sweep, ${share} % expired`, sweepMetrics(share))),
  ].join("\n");
}

/** How the cost of a sweep grows. */
export function printGrowth(growth: Growth[], share: number): string {
  const sizes = [...new Set(growth.flatMap(({ points }) => points.map(([entries]) => entries)))]
    .sort((one, other) => one - other);
  return [
    `all CPU of a sweep, ${share} % expired, in ms, and how it grows with the entries`,
    grid([
      ["", ...sizes.map(figure), "grows", "as entries ^"],
      ...growth.map(({ name, points, times, entries, exponent }) => [
        CONTESTANTS[name].title,
        ...sizes.map((size) => text(points.find(([entries]) => entries === size)?.[1])),
        times === undefined ? "–" : `${figure(times)}× for ${figure(entries!)}×`,
        exponent?.toFixed(2) ?? "–",
      ]),
    ]),
  ].join("\n");
}

/** The bars that Leash is to keep to. */
export function printVerdicts(verdicts: Verdict[]): string {
  return grid(
    verdicts.map(({ of, bar, measured, verdict }) => [of, bar, measured, verdict]),
    "start",
  );
}

function cell(
  measure: Measure,
  standing: Standing,
  base: Standing | undefined,
  metric: Metric,
): string {
  const value = valueOf(measure, standing, metric);
  if (value === undefined) return "–";
  const ratio = ratioOf(measure, standing, base, metric);
  const range = value.min === value.max ? "" : ` (${figure(value.min)}–${figure(value.max)})`;
  return `${ratio === undefined ? "" : `${figure(ratio)}× `}${figure(value.median)}${range}`;
}

function text(value: number | undefined): string {
  return value === undefined ? "–" : figure(value);
}

/** Cells in columns: the first one from the left, the others to the right, or all from the left. */
function grid(rows: string[][], side: "start" | "end" = "end"): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row.map((cell, column) =>
      column === 0 || side === "start"
        ? cell.padEnd(widths[column]!)
        : cell.padStart(widths[column]!)
    ).join("   ").trimEnd()
  ).join("\n");
}
