import { ISOLATIONS } from "../../src/pool/isolation.ts";
import { OFFLINE, ROOT } from "../support/entries.ts";
import { WAYS } from "./_ways.ts";

/** Where the table is kept, for the README and for the test. */
export const TABLE = new URL("./table.md", import.meta.url);

const WORDS: Record<string, string> = {
  stops: "stops by itself",
  ended: "ended",
  stuck: "**stuck**",
  "stuck-until-it-returns": "**stuck** until it returns",
};

/** One task that was stopped. */
export interface Cell {
  /** The number of its way. */
  readonly way: number;
  /** How it ended. */
  readonly end: string;
  /** Milliseconds from the word to stop to the observed end, 50 of which are the grace period. */
  readonly took: number;
}

/** Stops a task in each way, in each isolation. */
export async function measure(): Promise<Map<string, Cell[]>> {
  const numbers = WAYS.map((_way, number) => String(number));
  const all = ISOLATIONS.map(async (isolation): Promise<[string, Cell[]]> => {
    // A worker that is stuck would take time from all that come after it.
    const groups = isolation === "worker" ? numbers.map((number) => [number]) : [numbers];
    const cells: Cell[] = [];
    for (const group of groups) cells.push(...await run(isolation, group));
    return [isolation, cells];
  });
  return new Map(await Promise.all(all));
}

async function run(isolation: string, numbers: string[]): Promise<Cell[]> {
  const program = new URL("./_end_program.ts", import.meta.url).href;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", OFFLINE, program, isolation, ...numbers],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(stdout);
  const cells = [...text.matchAll(/^(\d+) (\S+) (\d+)$/gm)].map(([, way, end, took]) => ({
    way: Number(way),
    end: end!,
    took: Number(took),
  }));
  if (cells.length === numbers.length) return cells;
  throw new Error(`${isolation} ${numbers}: ${text}${new TextDecoder().decode(stderr)}`);
}

/** The table in Markdown, as `deno fmt` writes it. */
export function toTable(cells: Map<string, Cell[]>): string {
  const rows = [
    ["a task that is to stop, and that is in", ...ISOLATIONS.map((name) => `\`"${name}"\``)],
    ...WAYS.map(({ text }, number) => [
      text,
      ...ISOLATIONS.map((name) => {
        const { end } = cells.get(name)!.find(({ way }) => way === number)!;
        return WORDS[end] ?? end;
      }),
    ]),
  ];
  const widths = rows[0]!.map((_cell, column) =>
    Math.max(...rows.map((row) => row[column]!.length))
  );
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |\n`;
  const [head, ...body] = rows;
  return line(head!) + line(widths.map((width) => "-".repeat(width))) + body.map(line).join("");
}
