import { parse, View } from "npm:vega@6";
import { compile, type TopLevelSpec } from "npm:vega-lite@6";
import { type ContestantName, CONTESTANTS } from "./_sweep_contestant.ts";
import { type Measure, metricOf, valueOf } from "./_sweep_result.ts";

/** One point of a line. */
interface Point {
  readonly contestant: string;
  readonly entries: number;
  readonly cpu: number;
  readonly stall: number;
  /** 1 for the contestants of Leash. */
  readonly own: number;
}

/** Reads have no part in the picture, and in all else `maxStall` changes nothing. */
type Drawn = Exclude<ContestantName, "leash-stall">;

/** Colours that are told apart on white, also in print; a shape for each as well. */
const LOOKS: Record<Drawn, [colour: string, shape: string]> = {
  leash: ["#d9480f", "circle"],
  "leash-lru": ["#f59f00", "square"],
  shared: ["#1864ab", "diamond"],
  map: ["#343a40", "cross"],
  "lru-cache": ["#2b8a3e", "triangle-up"],
  autopurge: ["#74b816", "triangle-down"],
  ttlcache: ["#862e9c", "circle"],
  "node-cache": ["#c2255c", "square"],
  cacheable: ["#1098ad", "diamond"],
  std: ["#868e96", "triangle-right"],
};
/** On a scale that has no zero, less than this is this. */
const LEAST = 0.01;
const POWERS = [0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5];

/**
 * The main picture as SVG: what one sweep costs, and for how long it holds up the main thread, over the
 * number of entries. Vega draws it without a browser and without native code. It has a background of
 * its own, so that it can be read in the dark as well.
 */
export async function plot(measures: Measure[], share: number): Promise<string> {
  const points = toPoints(measures, share);
  const names = (Object.keys(LOOKS) as Drawn[])
    .filter((name) => points.some(({ contestant }) => contestant === CONTESTANTS[name].title));
  const domain = names.map((name) => CONTESTANTS[name].title);
  const sizes = [...new Set(points.map(({ entries }) => entries))];
  const panel = (field: "cpu" | "stall", title: string) => ({
    width: 400,
    height: 340,
    title: { text: title, anchor: "start" as const, fontSize: 16, offset: 12 },
    layer: [
      { mark: { type: "line" as const, opacity: 0.9 } },
      { mark: { type: "point" as const, filled: true, size: 70, opacity: 1 } },
    ],
    encoding: {
      x: {
        field: "entries",
        type: "quantitative" as const,
        title: "entries",
        scale: { type: "log" as const, nice: false },
        axis: { values: sizes, format: "~s", labelFlush: false },
      },
      y: {
        field,
        type: "quantitative" as const,
        title: "milliseconds",
        scale: { type: "log" as const },
        axis: { values: POWERS, format: "~g" },
      },
      color: {
        field: "contestant",
        type: "nominal" as const,
        legend: { title: null, labelLimit: 0 },
        scale: { domain, range: names.map((name) => LOOKS[name][0]) },
      },
      shape: {
        field: "contestant",
        type: "nominal" as const,
        legend: { title: null, labelLimit: 0 },
        scale: { domain, range: names.map((name) => LOOKS[name][1]) },
      },
      strokeWidth: {
        field: "own",
        type: "ordinal" as const,
        scale: { domain: [0, 1], range: [1.5, 3.5] },
        legend: null,
      },
    },
  });
  const spec: TopLevelSpec = {
    background: "white",
    padding: 20,
    data: { values: points },
    hconcat: [
      panel("cpu", `CPU time of one sweep, ${share} % expired`),
      panel("stall", "Longest stall of the main thread"),
    ],
    spacing: 40,
    config: {
      font: "Helvetica, Arial, sans-serif",
      axis: { labelFontSize: 14, titleFontSize: 14, gridColor: "#e9ecef" },
      legend: { labelFontSize: 14, orient: "bottom", columns: 5, symbolSize: 110 },
    },
  };
  const view = new View(parse(compile(spec).spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return `${svg}\n`;
}

function toPoints(measures: Measure[], share: number): Point[] {
  const [cpu, stall] = [metricOf(`sweep${share}.total`), metricOf(`sweep${share}.stall`)];
  return measures.flatMap((measure) =>
    measure.standings.flatMap((standing): Point[] => {
      if (!(standing.name in LOOKS)) return [];
      const [time, longest] = [cpu, stall].map((metric) => valueOf(measure, standing, metric));
      if (time === undefined || longest === undefined) return [];
      return [{
        contestant: CONTESTANTS[standing.name].title,
        entries: measure.entries,
        cpu: Math.max(time.median, LEAST),
        stall: Math.max(longest.median, LEAST),
        own: Number(/^(leash|shared)/.test(standing.name)),
      }];
    })
  );
}
