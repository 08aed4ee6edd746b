import type { Command } from "./_command.ts";
import type { Paint } from "./_style.ts";
import type { OptionTable } from "./_usage.ts";

/** Wider lines are hard to read. */
const WIDTH = 96;

/** What `leash --help` prints. */
export function overallHelp(commands: readonly Command[], paint: Paint): string {
  return `Background work that cannot leak: each task in a worker of its own, on a schedule.

${paint("bold", "Usage:")} leash COMMAND [options]

${paint("bold", "Commands")}
${list(commands.map(({ name, summary }) => [name, summary]))}

${paint("bold", "Options")}
${list([["-h, --help", "Print the help, also of one command."], ["--version", "Print it."]])}

${paint("bold", "Without installing:")} deno run -A jsr:@leash/leash/cli COMMAND
${paint("bold", "Install it:")} deno install -gA -n leash jsr:@leash/leash/cli

Exit codes: 0 all went well; 1 what was to be done failed, or a worker could not be stopped; 2 the
command line, or the module that it names, cannot be used.
`;
}

/** What `leash COMMAND --help` prints. */
export function commandHelp(command: Command, paint: Paint): string {
  const options: OptionTable = { ...command.options, ...HELP };
  const entries = Object.entries(options).map(([name, option]) =>
    [
      `${option.short === undefined ? "" : `-${option.short}, `}--${name}` +
      (option.type === "boolean" ? "" : ` ${option.value ?? "VALUE"}`),
      `${option.help}${option.multiple ? " May be given more than once." : ""}`,
    ] as const
  );
  return `${command.summary}

${paint("bold", "Usage:")} leash ${command.name} ${command.usage}

${paint("bold", "Options")}
${list(entries)}

${command.about.trim()}
`;
}

/** Every command has it. */
export const HELP = {
  help: { type: "boolean", short: "h", help: "Print this." },
} as const satisfies OptionTable;

/** Two columns, the second one wrapped. */
function list(entries: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...entries.map(([left]) => left.length));
  const indent = " ".repeat(width + 4);
  return entries.map(([left, right]) =>
    `  ${left.padEnd(width)}  ${wrap(right, WIDTH - indent.length).join(`\n${indent}`)}`
  ).join("\n");
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
