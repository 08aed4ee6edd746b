import { type ContestantName, CONTESTANTS } from "./_sweep_contestant.ts";
import type { Verdict } from "./_sweep_bars.ts";
import {
  find,
  type Growth,
  LIFE,
  type Measure,
  ratioOf,
  READS,
  sweepMetrics,
  valueOf,
} from "./_sweep_result.ts";
import type { Spread } from "./_rounds.ts";

/** One contestant with one number of entries, for machines. */
interface Row {
  readonly name: ContestantName;
  readonly title: string;
  readonly problem?: string;
  readonly notes: readonly string[];
  /** Each number with its spread, and its ratio to lru-cache. */
  readonly values: Record<string, Spread & { ratio?: number }>;
}

/** All that was measured, for machines. */
export interface Report {
  readonly deno: string;
  readonly measures: readonly { readonly entries: number; readonly rows: readonly Row[] }[];
  readonly growth: readonly Growth[];
  readonly bars: readonly Verdict[];
}

/** Puts it together. */
export function toJson(
  measures: Measure[],
  shares: readonly number[],
  growth: Growth[],
  bars: Verdict[],
): Report {
  const metrics = [...LIFE, ...READS.flat(), ...shares.flatMap(sweepMetrics)];
  const toRow = (measure: Measure, standing: Measure["standings"][number]): Row => {
    const values: Row["values"] = {};
    for (const metric of metrics) {
      const value = valueOf(measure, standing, metric);
      if (value === undefined) continue;
      const ratio = ratioOf(measure, standing, find(measure, "lru-cache"), metric);
      values[metric.key] = { ...value, ...ratio !== undefined && { ratio } };
    }
    const { name, problem, notes } = standing;
    return { name, title: CONTESTANTS[name].title, ...problem && { problem }, notes, values };
  };
  return {
    deno: Deno.version.deno,
    measures: measures.map((measure) => ({
      entries: measure.entries,
      rows: measure.standings.map((standing) => toRow(measure, standing)),
    })),
    growth,
    bars,
  };
}
