import type { Sample } from "./_cache_child.ts";
import { type ContestantName, CONTESTANTS } from "./_cache_contestant.ts";
import { figure } from "./_pool_result.ts";
import { type Spread, spread } from "./_rounds.ts";

/** A measure: so many entries, of which a share expires. */
export interface Plan {
  readonly entries: number;
  /** Percent. */
  readonly share: number;
}

/** How one contestant fared in one measure. */
export interface Standing {
  readonly name: ContestantName;
  readonly samples: Sample[];
  problem?: string;
}

/** What Leash is to reach with a million entries. */
interface Bar {
  readonly title: string;
  readonly share: number;
  readonly of: keyof Sample;
  readonly atMost: number;
  readonly than?: ContestantName;
}

const BARS: Bar[] = [50, 1].flatMap((share): Bar[] => [
  { title: "get", share, of: "get", atMost: 1, than: "lru-cache" },
  { title: "set, new", share, of: "set", atMost: 1, than: "lru-cache" },
  { title: "set again", share, of: "overwrite", atMost: 1, than: "lru-cache" },
  share === 50
    ? { title: "sweep CPU", share, of: "sweep", atMost: 0.35, than: "lru-cache" }
    : { title: "sweep CPU", share, of: "sweep", atMost: 0.25, than: "map" },
  { title: "longest slice, ms", share, of: "stall", atMost: 1.5 },
  { title: "heap", share, of: "heap", atMost: 0.85, than: "map" },
]);

/** A bar, and whether Leash keeps to it. */
export interface Verdict {
  readonly bar: string;
  readonly measured: number;
  readonly isMet: boolean;
}

const COLUMNS: [title: string, key: keyof Sample][] = [
  ["get, ns", "get"],
  ["set new, ns", "set"],
  ["set again, ns", "overwrite"],
  ["sweep CPU, ms", "sweep"],
  ["longest piece, ms", "stall"],
  ["heap, B/entry", "heap"],
  ["with buffers", "memory"],
];

/** One line of a table. */
export interface Row {
  readonly contestant: string;
  readonly problem?: string;
  /** Of lru-cache; from the same rounds. */
  readonly ratios?: Partial<Record<keyof Sample, number>>;
  readonly values?: Record<keyof Sample, Spread>;
}

/** The lines of a table. */
export function toRows(standings: Standing[]): Row[] {
  const base = standings.find(({ name, samples }) => name === "lru-cache" && samples.length > 0);
  return standings.map((standing) => {
    const contestant = CONTESTANTS[standing.name].title;
    if (standing.problem !== undefined) return { contestant, problem: standing.problem };
    const keys = Object.keys(standing.samples[0]!) as (keyof Sample)[];
    const each = <T>(make: (key: keyof Sample) => T) =>
      Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<keyof Sample, T>;
    return {
      contestant,
      ...base && { ratios: each((key) => ratio(standing, base, key)) },
      values: each((key) => spread(standing.samples.map((sample) => sample[key]))),
    };
  });
}

/** What Leash has reached. */
export function toVerdicts({ entries, share }: Plan, standings: Standing[]): Verdict[] {
  const leash = standings.find(({ name, samples }) => name === "leash" && samples.length > 0);
  if (entries !== 1_000_000 || leash === undefined) return [];
  return BARS.filter((bar) => bar.share === share).flatMap(({ title, of, atMost, than }) => {
    const other = standings.find(({ name, samples }) => name === than && samples.length > 0);
    if (than !== undefined && other === undefined) return [];
    const measured = other === undefined
      ? spread(leash.samples.map((sample) => sample[of])).median
      : ratio(leash, other, of);
    const bar = `${title} ≤ ${atMost}${than === undefined ? "" : `× ${CONTESTANTS[than].title}`}`;
    return [{ bar, measured, isMet: measured <= atMost }];
  });
}

/** The median of the ratios within a round. */
function ratio(one: Standing, other: Standing, key: keyof Sample): number {
  const count = Math.min(one.samples.length, other.samples.length);
  const ratios = Array.from(
    { length: count },
    (_, round) => one.samples[round]![key] / Math.max(other.samples[round]![key], 1e-3),
  );
  return spread(ratios).median;
}

/** The table as text: ratios to lru-cache first, because absolute values depend on the machine. */
export function print(title: string, rows: Row[], verdicts: Verdict[]): string {
  const width = Math.max(...rows.map(({ contestant }) => contestant.length));
  const line = (name: string, cells: string[]) =>
    name.padEnd(width) + cells.map((cell) => cell.padStart(28)).join("");
  return [
    title,
    line("", COLUMNS.map(([title]) => title)),
    ...rows.map(({ contestant, problem, ratios, values }) =>
      values === undefined ? `${contestant.padEnd(width)}   ${problem}` : line(
        contestant,
        COLUMNS.map(([, key]) => {
          const { median, min, max } = values[key];
          const times = ratios === undefined ? "" : `${figure(ratios[key]!)}×  `;
          return `${times}${figure(median)} (${figure(min)}–${figure(max)})`;
        }),
      )
    ),
    ...verdicts.map(({ bar, measured, isMet }) =>
      `  bar ${bar}: ${figure(measured)}, ${isMet ? "met" : "MISSED"}`
    ),
  ].join("\n");
}
