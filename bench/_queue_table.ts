import type { QueueSample } from "./_queue_jobs.ts";
import { type Spread, spread } from "./_rounds.ts";

/** Which figure of a line. */
export type Figure = "ns" | "perSecond" | "cpu" | "perCoreSecond" | "bytes" | "timers";

/** What Leash is to reach. */
export interface Bar {
  /** The line. */
  readonly of: string;
  /** The figure. */
  readonly what: Figure;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** One table. */
export interface Plan {
  readonly title: string;
  /** How many keys. */
  readonly count: number;
  /** How many in each round of the warm-up. */
  readonly warmUp?: number;
  /** The first one is what the others are compared with. */
  readonly contestants: readonly { name: string; module: string; job: string }[];
  readonly bars: readonly Bar[];
}

/** All rounds of one contestant. */
export interface QueueStanding {
  readonly name: string;
  readonly samples: QueueSample[];
}

/** One line of a table. */
export interface QueueRow extends Partial<Record<Figure, Spread>> {
  readonly name: string;
  /** How many times as fast as the first line; from the same rounds. */
  readonly ratio: Spread;
}

/** A number for people. */
export function figures(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

function times(ratio: number): string {
  return ratio < 10 ? ratio.toPrecision(2) : Math.round(ratio).toLocaleString("en");
}

/** The table as text, ratios first, and as data. */
export function print({ title, count, bars }: Plan, standings: QueueStanding[]) {
  const rows = standings.map((standing) => toRow(standing, standings[0]!));
  const verdicts = bars.map((bar) => ({ ...bar, verdict: judge(bar, rows) }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const widths = [9, 36, 24, 16, 12, 8];
  const line = (name: string, cells: string[]) =>
    name.padEnd(width) +
    cells.map((cell, index) => cell.padStart(widths[index]!)).join("").trimEnd();
  const hasBytes = rows.some(({ bytes }) => bytes !== undefined);
  const { length } = standings[0]!.samples;
  const text = [
    `${title}; ${figures(count)} keys, ${length === 1 ? "one round" : `${length} rounds`}`,
    line("", [
      "ratio",
      "keys/s (range)",
      "ns/key (range)",
      "on a core",
      ...hasBytes ? ["bytes/key", "timers"] : [],
    ]),
    ...rows.map(({ name, ratio, perSecond, ns, cpu, bytes, timers }) =>
      line(name, [
        `${times(ratio.median)}×`,
        range(perSecond!),
        range(ns!),
        cpu === undefined ? "" : figures(cpu.median),
        ...bytes && timers ? [figures(bytes.median), `${timers.median}`] : [],
      ])
    ),
    ...verdicts.map(({ what, atLeast, atMost, of, verdict }) =>
      `  bar ${of}, ${what} ${atLeast === undefined ? "≤" : "≥"} ` +
      `${(atLeast ?? atMost)!.toLocaleString("en")}: ${verdict}`
    ),
  ].join("\n");
  return { text, rows, bars: verdicts };
}

function toRow({ name, samples }: QueueStanding, base: QueueStanding): QueueRow {
  const [first] = samples;
  return {
    name,
    ratio: spread(samples.map(({ ns }, index) => base.samples[index]!.ns / ns)),
    ns: spread(samples.map(({ ns }) => ns)),
    perSecond: spread(samples.map(({ ns }) => 1e9 / ns)),
    ...first?.cpu === undefined ? {} : {
      cpu: spread(samples.map(({ cpu }) => cpu!)),
      perCoreSecond: spread(samples.map(({ cpu }) => 1e9 / cpu!)),
    },
    ...first?.bytes === undefined ? {} : { bytes: spread(samples.map(({ bytes }) => bytes!)) },
    ...first?.timers === undefined ? {} : { timers: spread(samples.map(({ timers }) => timers!)) },
  };
}

function judge({ of, what, atLeast, atMost }: Bar, rows: QueueRow[]): string {
  const measured = rows.find(({ name }) => name === of)?.[what]?.median;
  if (measured === undefined) return "not measured";
  const factor = atLeast === undefined ? measured / atMost! : atLeast / measured;
  return `${figures(measured)}, ${
    factor <= 1 ? "met" : `MISSED by ${((factor - 1) * 100).toFixed(0)} %`
  }`;
}

function range({ median, min, max }: Spread): string {
  return min === max ? figures(median) : `${figures(median)} (${figures(min)}–${figures(max)})`;
}
