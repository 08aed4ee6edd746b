/**
 * The command line of Leash: sweep a folder, run or list the tasks of a module, or watch a demo.
 *
 * Without installing anything: `deno run -A jsr:@leash/leash/cli demo`. As a command:
 * `deno install -gA -n leash jsr:@leash/leash/cli`, and then `leash --help`.
 *
 * @module
 */

import { plainText } from "../base/plain_text.ts";
import type { Command } from "./_command.ts";
import { demo } from "./_demo.ts";
import { Failure } from "./_failure.ts";
import { commandHelp, HELP, overallHelp } from "./_help.ts";
import { list } from "./_list.ts";
import { standardOutput } from "./_output.ts";
import { run } from "./_run.ts";
import { sweep } from "./_sweep.ts";
import { parseOptions, UsageError, wrongValue } from "./_usage.ts";
import { VERSION } from "./_version.ts";

const COMMANDS = [sweep, run, list, demo] as readonly unknown[] as readonly Command[];

/** Exit code: what was to be done could not be done. */
const FAILED = 1;
/** Exit code: the command line, or the module that it names, cannot be used. */
const USAGE = 2;

/**
 * Runs the command line. It writes to the standard output, and to the standard error what went
 * wrong. It listens for SIGINT and SIGTERM while tasks run.
 *
 * @param args What comes after the name of the program.
 * @returns The exit code: 0 all went well; 1 what was to be done failed, or a worker could not be
 * stopped; 2 the command line cannot be used. The caller should then call `Deno.exit`, because a
 * worker that could not be stopped keeps the process alive.
 *
 * @example
 * ```ts
 * import { main } from "@leash/leash/cli";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(await main(["--version"]), 0);
 * ```
 */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const command = COMMANDS.find((command) => command.name === name);
  try {
    return await (command === undefined ? withoutCommand(args) : invoke(command, rest));
  } catch (error) {
    if (error instanceof Failure) {
      console.error(`leash: ${plainText(error.message)}`);
      return FAILED;
    }
    if (!(error instanceof UsageError)) {
      // A mistake in here: whoever reports it needs the stack.
      console.error("leash:", error);
      return FAILED;
    }
    const help = `leash ${command === undefined ? "" : `${command.name} `}--help`;
    console.error(`leash: ${plainText(error.message)}\nSee ${help}`);
    return USAGE;
  }
}

function invoke(command: Command, args: readonly string[]): Promise<number> {
  const output = standardOutput();
  const { values, positionals } = parseOptions(args, { ...command.options, ...HELP });
  if (values.help) {
    output.write(commandHelp(command, output.paint));
    return Promise.resolve(0);
  }
  return command.run({ values, positionals, output });
}

function withoutCommand(args: readonly string[]): number {
  const output = standardOutput();
  const names = COMMANDS.map(({ name }) => name).join(", ");
  const [first] = args;
  if (first === undefined || !first.startsWith("-")) {
    throw wrongValue("command", names, first ?? "none");
  }
  const { values } = parseOptions(args, { ...HELP, version: { type: "boolean", help: "" } });
  if (values.version) output.write(`leash ${VERSION}\n`);
  else if (values.help) output.write(overallHelp(COMMANDS, output.paint));
  else throw wrongValue("command", names, args.join(" "));
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
