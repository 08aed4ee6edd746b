import { figure } from "./_pool_result.ts";
import type { SharedContestant, SharedSample } from "./_shared_child.ts";
import type { HitRatios } from "./_shared_zipf.ts";

/** What all rounds of one contestant measured, or why there is nothing. */
export interface SharedStanding {
  readonly name: SharedContestant;
  readonly samples: SharedSample[];
  problem?: string;
}

/** One bar: what was measured, and what it may be. */
export interface SharedVerdict {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly bar: number;
  /** Whether more is better. */
  readonly atLeast: boolean;
}

/** Of a contestant that was not measured, or failed. */
const NOTHING = {} as Numbers;

type Numbers = { [Name in keyof SharedSample]-?: number };

/** Ratios are taken within each round, so that what else the machine does hits both sides. */
export function toVerdicts(standings: SharedStanding[], entries: number): SharedVerdict[] {
  const samples = (name: SharedContestant) =>
    standings.find((standing) => standing.name === name)?.samples as Numbers[] ?? [];
  const verdicts: SharedVerdict[] = [];
  const add = (
    what: string,
    unit: string,
    bar: number,
    values: (ours: Numbers, lru: Numbers, map: Numbers) => number,
    atLeast = false,
  ) => {
    const [lru, map] = [samples("lru-cache"), samples("map")];
    const all = samples("leash").map((ours, round) =>
      values(ours, lru[round] ?? NOTHING, map[round] ?? NOTHING)
    );
    if (all.length > 0 && all.every(Number.isFinite)) {
      verdicts.push({ what, value: median(all), unit, bar, atLeast });
    }
  };
  add("get, of lru-cache's", "×", 1.3, (ours, lru) => ours.get / lru.get);
  add("set, of lru-cache's", "×", 0.6, (ours, lru) => ours.set / lru.set);
  add("sweep, of Map's", "×", 0.01, (ours, _, map) => ours.sweep / map.sweep);
  add("sweep, of lru-cache's", "×", 0.005, (ours, lru) => ours.sweep / lru.sweep);
  add("memory of an entry, of Map's", "×", 0.45, (ours, _, map) => ours.rss / map.rss);
  add(
    "get elsewhere, faster than a message",
    "×",
    50,
    (ours) => ours.message / ours.otherGet,
    true,
  );
  add(
    "released by a sweep",
    "M/s",
    500,
    (ours) => ours.removed / ours.sweep / 1e3,
    true,
  );
  add(`major GC with ${figure(entries)} alive`, "ms", 5, (ours) => ours.gc);
  add("major GC, over an empty process", "ms", 5, (ours) => ours.gc - ours.idleGc);
  add("gap by sweeps elsewhere, over idle", "ms", 5, (ours) => ours.sweepGap - ours.idleGap);
  return verdicts;
}

/** How the cost of a sweep grows with the number of entries: the last size, and that of a tenth. */
export function growth(few: SharedStanding[], many: SharedStanding[]): SharedVerdict[] {
  const sweep = (standings: SharedStanding[]) =>
    median(
      standings.find(({ name }) => name === "leash")?.samples.map((sample) => sample.sweep) ?? [],
    );
  return [
    { what: "sweep, of ten times fewer", value: sweep(many) / sweep(few), unit: "×", bar: 12 },
    { what: "sweep, of so many", value: sweep(many), unit: "ms", bar: 10 },
  ].map((verdict) => ({ ...verdict, atLeast: false }));
}

/** The part of the requests that each answered. */
export function printHits(ratios: HitRatios[]): string {
  const percent = (part: number) => `${(part * 100).toFixed(1)} %`.padStart(10);
  const rows = ratios.map((ratio) =>
    `  Zipf ${ratio.exponent.toFixed(1)}    ${figure(ratio.keys).padStart(8)}${
      figure(ratio.entries).padStart(9)
    }` + [ratio.leash, ratio.lru, ratio.lruSameBytes, ratio.fifo, ratio.best].map(percent).join("")
  );
  const heads = ["leash", "LRU", "LRU bytes", "FIFO", "best"].map((head) => head.padStart(10));
  return [
    "Hit ratio with room for a tenth of the keys; LRU: lru-cache with as many entries, and with as many " +
    "bytes",
    `              ${"keys".padStart(8)}${"entries".padStart(9)}${heads.join("")}`,
    ...rows,
  ].join("\n");
}

/** Whether a bar is reached, in the words of the other benches. */
export function verdictText({ value, bar, atLeast }: SharedVerdict): string {
  const isMet = atLeast ? value >= bar : value <= bar;
  const by = atLeast ? bar / value : value / bar;
  return isMet ? "met" : `MISSED by ${by.toFixed(2)}×`;
}

/** A line for each bar. */
export function printBars(verdicts: SharedVerdict[]): string[] {
  return verdicts.map((verdict) =>
    `  ${verdict.what.padEnd(38)}${figure(verdict.value).padStart(9)} ${verdict.unit.padEnd(4)}` +
    ` ${verdict.atLeast ? "≥" : "≤"} ${String(verdict.bar).padEnd(6)} ${verdictText(verdict)}`
  );
}

/** Bars first, then what each contestant needed. */
export function print(
  title: string,
  standings: SharedStanding[],
  verdicts: SharedVerdict[],
): string {
  const columns = ["set", "get", "rss", "gc", "idleGc", "sweep"] as const;
  const rows = standings.map(({ name, samples, problem }) =>
    `  ${name.padEnd(12)}` +
    (problem ??
      columns.map((column) => figure(median(samples.map((sample) => sample[column]))).padStart(12))
        .join(""))
  );
  const heads = ["set ns", "get ns", "bytes/entry", "GC ms", "GC empty", "sweep ms"]
    .map((head) => head.padStart(12)).join("");
  return [title, ...printBars(verdicts), `${" ".repeat(14)}${heads}`, ...rows].join("\n");
}

/** The one in the middle. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}
