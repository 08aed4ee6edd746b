import type { Plan } from "./_pool_plan.ts";
import { figure, type Row, type Verdict } from "./_pool_result.ts";

/** The table of a measure as text: ratios first, because absolute values depend on the machine. */
export function print(plan: Plan, rows: Row[], verdicts: Verdict[]): string {
  const hasRatio = rows.some(({ ratio }) => ratio !== undefined);
  const columns = [hasRatio, true, plan.extra !== undefined];
  const widths = [14, 32, 22];
  const line = (name: string, cells: string[]) =>
    name.padEnd(width) +
    cells.map((cell, index) => columns[index] ? cell.padStart(widths[index]!) : "").join("");
  const width = Math.max(...rows.map(({ contestant }) => contestant.length));
  return [
    `${plan.title}; ${plan.rounds === 1 ? "one round" : `${plan.rounds} rounds`}`,
    line("", ["× best peer", plan.unit + (plan.rounds === 1 ? "" : " (range)"), plan.extra ?? ""]),
    ...rows.map(({ contestant, ratio, value, extra, problem }) =>
      value === undefined ? `${contestant.padEnd(width)}   ${problem}` : line(contestant, [
        ratio === undefined ? "" : `${figure(ratio)}×`,
        figure(value.median) +
        (plan.rounds === 1 ? "" : ` (${figure(value.min)}–${figure(value.max)})`),
        extra === undefined ? "" : figure(extra),
      ])
    ),
    ...verdicts.map(({ bar, measured, verdict }) =>
      `  bar ${bar}: ${measured === undefined ? "" : `${measured}, `}${verdict}`
    ),
  ].join("\n");
}
