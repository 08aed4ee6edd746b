import { CONTESTANTS } from "./_sweep_contestant.ts";
import { figure } from "./_pool_result.ts";
import type { Verdict } from "./_sweep_bars.ts";
import {
  find,
  type Growth,
  type Measure,
  metricOf,
  ratioOf,
  type Standing,
  valueOf,
} from "./_sweep_result.ts";

const MARKS = ["<!-- sweep -->", "<!-- /sweep -->"] as const;
/** Where the picture is, from the root. */
export const PICTURE = "bench/sweep.svg";

/** The text with other content between the marks. */
export function replaced(text: string, content: string): string {
  const [head, rest] = text.split(MARKS[0]);
  const tail = rest?.split(MARKS[1])[1];
  if (tail === undefined) {
    throw new Error(`Cannot write the README: expected ${MARKS.join(" and ")}: received none`);
  }
  return `${head}${MARKS[0]}\n\n${content}\n\n${MARKS[1]}${tail}`;
}

/** The picture, the table, and which bars were missed. */
export function toMarkdown(
  measures: Measure[],
  share: number,
  growth: Growth[],
  verdicts: Verdict[],
): string {
  const measure = measures.toSorted((one, other) => other.entries - one.entries)[0]!;
  const base = find(measure, "lru-cache");
  const rounds = Math.max(...measure.standings.map(({ samples }) => samples.length));
  const least = Math.min(...measures.map(({ entries }) => entries));
  const value = (standing: Standing, key: string) =>
    show(valueOf(measure, standing, metricOf(key))?.median);
  const both = (standing: Standing, key: string) => {
    const ratio = ratioOf(measure, standing, base, metricOf(key));
    return `${value(standing, key)}${ratio === undefined ? "" : ` (${show(ratio)}×)`}`;
  };
  const rows = measure.standings.filter(({ problem }) => problem === undefined).map((standing) => {
    const { title } = CONTESTANTS[standing.name];
    const grown = growth.find(({ name }) => name === standing.name)?.times;
    return [
      /^(leash|shared)/.test(standing.name) ? `**${title}**` : title,
      value(standing, `sweep${share}.main`),
      both(standing, `sweep${share}.total`),
      `${show(grown)}×`,
      value(standing, `sweep${share}.stall`),
      both(standing, "get"),
      both(standing, "set"),
      ["idle", "sweeping"].map((when) => value(standing, `${when}.waited.p999`)).join(" → "),
      ["heap", "rss"].map((key) => value(standing, key)).join(" / "),
      value(standing, "gc"),
    ];
  });
  const head = [
    "",
    "sweep: main CPU, ms",
    "all CPU, ms",
    `grows from ${short(least)}`,
    "longest stall, ms",
    "get, ns",
    "set, ns",
    "get p99.9, µs, idle → swept",
    "heap / RSS, B",
    "major GC, ms",
  ];
  const lines = [head, head.map((_, index) => index === 0 ? "---" : "--:"), ...rows];
  const absent = measure.standings.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${CONTESTANTS[name].title}: ${problem}.`]
  );
  const missed = verdicts.filter(({ isMet }) => !isMet);
  return [
    `![CPU time of one sweep, and the longest stall of the main thread, over the number of entries](${PICTURE})`,
    "",
    `${figure(measure.entries)} entries, ${share} % of them expired, ` +
    `${rounds === 1 ? "one round" : `medians of ${rounds} rounds`}; in brackets times lru-cache:`,
    "",
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    [
      ...absent,
      ...verdicts.length === 0 ? [] : [
        `Of ${verdicts.length} bars that the bench prints, ${
          verdicts.length - missed.length
        } are met` +
        `${missed.length === 0 ? "." : "; missed:"}`,
      ],
      missed.map(({ of, bar, measured }) => `${of}, ${bar} (${measured})`).join("; ") +
      (missed.length === 0 ? "" : "."),
    ].join(" "),
  ].join("\n");
}

function show(value: number | undefined): string {
  return value === undefined
    ? "–"
    : value >= 100
    ? figure(value)
    : String(Number(value.toPrecision(2)));
}

function short(entries: number): string {
  return entries >= 1e6 ? `${entries / 1e6} M` : `${entries / 1e3} k`;
}
