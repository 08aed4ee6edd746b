import { type Spread, spread, type Standing } from "./_rounds.ts";

/** One line of a table. */
export interface Row {
  /** What was measured. */
  readonly name: string;
  /** How many times faster than the first line; from the same rounds. */
  readonly speed: Spread;
  /** How many times shorter its stall is than that of the first line; from the same rounds. */
  readonly calm: Spread;
  /** Items for each second. */
  readonly rate: Spread;
  /** The longest stall of the main thread, in milliseconds. */
  readonly stall: Spread;
}

/** The figures of each contestant, compared with the first one. */
export function toRows(standings: Standing[], items: number): Row[] {
  const base = standings[0]!.rounds;
  return standings.map(({ name, rounds }) => ({
    name,
    speed: spread(rounds.map(({ took }, index) => base[index]!.took / took)),
    // Below 0.1 ms a stall is a rounding error of the timer.
    calm: spread(rounds.map(({ stall }, index) => base[index]!.stall / Math.max(stall, 0.1))),
    rate: spread(rounds.map(({ took }) => items / took * 1000)),
    stall: spread(rounds.map(({ stall }) => stall)),
  }));
}

/** The rows as text: ratios first, because absolute times depend on the machine. */
export function print(title: string, item: string, rows: Row[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const header = ["speed", "shorter stall", `${item}/s (range)`, "longest stall, ms (range)"];
  const widths = [8, 15, 34, 27];
  const line = (name: string, cells: string[]) =>
    name.padEnd(width) + cells.map((cell, index) => cell.padStart(widths[index]!)).join("");
  return [
    title,
    line("", header),
    ...rows.map(({ name, speed, calm, rate, stall }) =>
      line(name, [
        `${ratio(speed.median)}×`,
        `${ratio(calm.median)}×`,
        range(rate, (value) => Math.round(value).toLocaleString("en")),
        range(stall, (value) => value.toFixed(value < 10 ? 1 : 0)),
      ])
    ),
  ].join("\n");
}

function ratio(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toPrecision(2);
}

function range({ median, min, max }: Spread, format: (value: number) => string): string {
  return `${format(median)} (${format(min)}–${format(max)})`;
}
