import { type ContestantName, CONTESTANTS } from "./_sweep_contestant.ts";
import { figure } from "./_pool_result.ts";
import { find, type Measure, metricOf, ratioOf, valueOf } from "./_sweep_result.ts";

/** What is to be reached. */
interface Bar {
  readonly of: ContestantName;
  readonly title: string;
  readonly entries: number;
  /** A median, or a ratio if there is `than`. `undefined`: not measured. */
  readonly key: string;
  readonly than?: ContestantName;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly unit?: string;
}

/** A bar, and whether it is reached. */
export interface Verdict {
  readonly of: string;
  readonly bar: string;
  readonly measured: string;
  readonly isMet: boolean;
  /** By how much it is missed. */
  readonly verdict: string;
}

const MILLION = 1_000_000;
const BARS: Bar[] = [
  ...([
    { title: "get", key: "get", than: "lru-cache", atMost: 1 },
    { title: "set", key: "set", than: "lru-cache", atMost: 1 },
    { title: "sweep CPU, 50 %", key: "sweep50.total", than: "lru-cache", atMost: 0.35 },
    { title: "sweep CPU, 1 %", key: "sweep1.total", than: "map", atMost: 0.25 },
    // A budget of 1 ms, and half a millisecond.
    { title: "longest piece, 1 %", key: "sweep1.slice", atMost: 1.5, unit: "ms" },
    { title: "longest piece, 10 %", key: "sweep10.slice", atMost: 1.5, unit: "ms" },
    { title: "longest piece, 50 %", key: "sweep50.slice", atMost: 1.5, unit: "ms" },
    { title: "longest piece, 100 %", key: "sweep100.slice", atMost: 1.5, unit: "ms" },
    { title: "heap of an entry", key: "heap", than: "map", atMost: 0.85 },
  ] as const).map((bar): Bar => ({ of: "leash", entries: MILLION, ...bar })),
  { of: "leash-stall", title: "get", key: "get", than: "lru-cache", atMost: 1, entries: MILLION },
  ...([
    // There is one message to the worker and one back, whatever the number of entries.
    { title: "sweep CPU, 50 %, main thread", key: "sweep50.main", atMost: 0.5, unit: "ms" },
    { title: "sweep CPU, 50 %, all", key: "sweep50.total", than: "map", atMost: 0.01 },
    { title: "sweep CPU, 50 %, all", key: "sweep50.total", than: "lru-cache", atMost: 0.005 },
    { title: "released, 50 %", key: "sweep50.removed", atLeast: 500, unit: "M/s" },
    { title: "stall, 50 %", key: "sweep50.stall", atMost: 5, unit: "ms" },
    { title: "get", key: "get", than: "lru-cache", atMost: 1.3 },
    { title: "set", key: "set", than: "lru-cache", atMost: 0.6 },
    { title: "major GC", key: "gc", atMost: 5, unit: "ms" },
    { title: "RSS of an entry", key: "rss", than: "map", atMost: 0.45 },
    { title: "major GC", key: "gc", entries: 10 * MILLION, atMost: 5, unit: "ms" },
    {
      title: "sweep CPU, 50 %, all",
      key: "sweep50.total",
      entries: 10 * MILLION,
      atMost: 10,
      unit: "ms",
    },
  ] as const).map((bar): Bar => ({ of: "shared", entries: MILLION, ...bar })),
];

/** What Leash has reached, of that which was measured. */
export function toVerdicts(measures: Measure[]): Verdict[] {
  return BARS.flatMap((bar) => judge(measures, bar) ?? []).concat(judgeGrowth(measures) ?? []);
}

function judge(measures: Measure[], bar: Bar): Verdict | undefined {
  const measure = measures.find(({ entries }) => entries === bar.entries);
  const own = find(measure, bar.of);
  if (measure === undefined || own === undefined) return undefined;
  const metric = metricOf(bar.key);
  const value = bar.than === undefined
    ? valueOf(measure, own, metric)?.median
    : ratioOf(measure, own, find(measure, bar.than), metric);
  if (value === undefined) return undefined;
  const size = bar.entries === MILLION ? "" : `, ${figure(bar.entries)} entries`;
  const than = bar.than === undefined ? bar.unit! : `× ${CONTESTANTS[bar.than].title}`;
  return verdictOf(bar.of, `${bar.title}${size}`, value, bar, than);
}

/** What ten times the entries may cost. */
function judgeGrowth(measures: Measure[]): Verdict | undefined {
  const [one, ten] = [MILLION, 10 * MILLION].map((entries) => {
    const measure = measures.find((measure) => measure.entries === entries);
    return measure && valueOf(measure, find(measure, "shared"), metricOf("sweep50.total"))?.median;
  });
  if (one === undefined || ten === undefined) return undefined;
  return verdictOf("shared", "sweep CPU of 10 M", ten / one, { atMost: 12 }, "× that of 1 M");
}

function verdictOf(
  of: ContestantName,
  title: string,
  value: number,
  { atMost, atLeast }: { atMost?: number; atLeast?: number },
  unit: string,
): Verdict {
  const limit = (atMost ?? atLeast)!;
  const isMet = atMost === undefined ? value >= limit : value <= limit;
  return {
    of: CONTESTANTS[of].title,
    bar: `${title} ${atMost === undefined ? "≥" : "≤"} ${limit}${
      unit.startsWith("×") ? "" : " "
    }${unit}`,
    measured: `${figure(value)}${unit.startsWith("×") ? "×" : ` ${unit}`}`,
    isMet,
    verdict: isMet ? "met" : `MISSED by ${figure(Math.abs(value - limit) / limit * 100)} %`,
  };
}
