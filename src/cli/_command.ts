import type { Output } from "./_output.ts";
import type { OptionTable, OptionValues } from "./_usage.ts";

/** What a command line asked for. */
export interface Invocation<Table extends OptionTable> {
  readonly values: OptionValues<Table>;
  readonly positionals: readonly string[];
  readonly output: Output;
}

/** One command of the command line tool. */
export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  /** What it does, as the end of a line of the help. */
  readonly summary: string;
  /** What comes after the name, as in `DIR [options]`. */
  readonly usage: string;
  /** What there is to say beside the options. */
  readonly about: string;
  readonly options: Table;
  /** Does it. Returns the exit code. */
  run(invocation: Invocation<Table>): Promise<number>;
}

/** The type of a command follows from its options. */
export function defineCommand<const Table extends OptionTable>(
  command: Command<Table>,
): Command<Table> {
  return command;
}
