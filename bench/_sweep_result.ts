import { type ContestantName, CONTESTANTS } from "./_sweep_contestant.ts";
import type { Quantiles, Reads, Sample, Sweep } from "./_sweep_sample.ts";
import { type Spread, spread } from "./_rounds.ts";

/** How one contestant fared with one number of entries. */
export interface Standing {
  readonly name: ContestantName;
  /** One for each round, in their order; one that takes long has fewer. */
  readonly samples: Sample[];
  /** Why there is nothing. */
  problem?: string;
  /** What is missing, and why. */
  readonly notes: string[];
}

/** All contestants with one number of entries. */
export interface Measure {
  readonly entries: number;
  readonly standings: Standing[];
}

/** One number of a sample. */
export interface Metric {
  readonly key: string;
  readonly title: string;
  readonly of: (sample: Sample, entries: number) => number | undefined;
}

/** What a cache costs while nothing expires. */
export const LIFE: Metric[] = ([
  ["get", "get, ns"],
  ["set", "set new, ns"],
  ["overwrite", "set again, ns"],
  ["heap", "heap, B/entry"],
  ["memory", "with buffers"],
  ["rss", "RSS, B/entry"],
  ["gc", "major GC, ms"],
  ["lost", "lost of 1 M"],
] as const).map(([key, title]) => ({ key, title, of: ({ life }) => life?.[key] }));

/** Reads while nothing is swept, and while sweeps go on. */
export const READS: [idle: Metric, sweeping: Metric][] = (["alone", "waited"] as const).flatMap(
  (kind) =>
    (["p50", "p99", "p999"] as const).map((quantile): [Metric, Metric] => [
      readMetric("idle", kind, quantile),
      readMetric("sweeping", kind, quantile),
    ]),
);

function readMetric(
  when: "idle" | "sweeping",
  kind: keyof Reads,
  quantile: keyof Quantiles,
): Metric {
  const title = `${kind === "alone" ? "get" : "with wait"} ${
    quantile.replace("p999", "p99.9")
  }, µs`;
  return {
    key: `${when}.${kind}.${quantile}`,
    title,
    of: (sample) => sample[when]?.[kind][quantile],
  };
}

/** What it costs to remove a share. */
export function sweepMetrics(share: number): Metric[] {
  const metric = (
    key: string,
    title: string,
    of: (sweep: Sweep, entries: number) => number | undefined,
  ): Metric => ({
    key: `sweep${share}.${key}`,
    title,
    of: ({ sweeps }, entries) => sweeps[share] && of(sweeps[share], entries),
  });
  return [
    metric("main", "main CPU, ms", ({ main }) => main),
    metric("total", "all CPU, ms", ({ total }) => total),
    metric("stall", "stall, ms", ({ stall }) => stall),
    metric("slice", "piece, ms", ({ slice }) => slice),
    metric("scanned", "M scanned/s", (sweep, entries) => entries / sweeperTime(sweep) / 1e3),
    metric("removed", "M removed/s", (sweep) => sweep.removed / sweeperTime(sweep) / 1e3),
  ];
}

/** Rates are of the thread that sweeps: the worker if there is one. */
function sweeperTime({ main, total }: Sweep): number {
  return total > main ? total - main : main;
}

/** A metric by its key. */
export function metricOf(key: string): Metric {
  const [, share] = /^sweep(\d+)\./.exec(key) ?? [];
  const all = share === undefined ? [...LIFE, ...READS.flat()] : sweepMetrics(Number(share));
  return all.find((metric) => metric.key === key)!;
}

/** The one who has been measured, by name. */
export function find(measure: Measure | undefined, name: ContestantName): Standing | undefined {
  return measure?.standings.find((standing) => standing.name === name);
}

/** The spread over the rounds; `undefined` where nothing was measured. */
export function valueOf(
  { entries }: Measure,
  standing: Standing | undefined,
  metric: Metric,
): Spread | undefined {
  const values = standing?.samples.flatMap((sample) => metric.of(sample, entries) ?? []) ?? [];
  return values.length === 0 ? undefined : spread(values);
}

/**
 * The median of the ratios within a round; `undefined` where there is no round with both. A process that
 * became smaller meanwhile tells nothing of what an entry takes.
 */
export function ratioOf(
  { entries }: Measure,
  one: Standing | undefined,
  other: Standing | undefined,
  metric: Metric,
): number | undefined {
  const ratios = one?.samples.flatMap((sample, round) => {
    const peer = other?.samples[round];
    const [value, base] = [metric.of(sample, entries), peer && metric.of(peer, entries)];
    if (value === undefined || base === undefined || value < 0 || base < 0) return [];
    return [value / Math.max(base, 1e-3)];
  }) ?? [];
  return ratios.length === 0 ? undefined : spread(ratios).median;
}

/** How the cost of one sweep grows with the number of entries. */
export interface Growth {
  readonly name: ContestantName;
  /** Entries, and milliseconds of all threads. */
  readonly points: readonly (readonly [entries: number, time: number])[];
  /** From the least number of entries to the greatest: times the cost, for times the entries. */
  readonly times?: number;
  readonly entries?: number;
  /** The cost grows with this power of the entries: 1 is in proportion. */
  readonly exponent?: number;
}

/** The growth of each contestant that was measured. */
export function toGrowth(measures: Measure[], share: number): Growth[] {
  const metric = metricOf(`sweep${share}.total`);
  const names = Object.keys(CONTESTANTS) as ContestantName[];
  return names.flatMap((name): Growth[] => {
    const points = measures.flatMap((measure): [number, number][] => {
      const value = valueOf(measure, find(measure, name), metric);
      return value === undefined ? [] : [[measure.entries, value.median]];
    }).sort(([one], [other]) => one - other);
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) return [];
    if (first === last) return [{ name, points }];
    const [times, entries] = [last[1] / first[1], last[0] / first[0]];
    return [{ name, points, times, entries, exponent: Math.log(times) / Math.log(entries) }];
  });
}
