import { parseArgs } from "node:util";

/** An option of a command: what `parseArgs` needs of it, and what the help says of it. */
export interface Option {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands for the value in the help, as in `DURATION`. */
  readonly value?: string;
  readonly help: string;
}

/** The options of a command, by their names without the dashes. */
export type OptionTable = Readonly<Record<string, Option>>;

/** The values that were given for the options of a table. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name]["type"] extends "boolean" ? boolean
    : Table[Name] extends { multiple: true } ? string[]
    : string;
};

/** A command line that cannot be understood, or that names something that cannot be used. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Says what is wrong with a value.
 *
 * @param what What the value is for, as in `--every`.
 * @param expected What would be right.
 * @param received What was given instead.
 */
export function wrongValue(what: string, expected: string, received: unknown): UsageError {
  const text = typeof received === "string" ? received : Deno.inspect(received);
  return new UsageError(`${what}: expected ${expected}: received ${text === "" ? '""' : text}`);
}

/**
 * Reads a command line.
 *
 * @param args What comes after the command.
 * @param table The options that exist.
 * @throws {UsageError} When there is something in it that does not exist.
 */
export function parseOptions<Table extends OptionTable>(
  args: readonly string[],
  table: Table,
): { values: OptionValues<Table>; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: table,
      strict: true,
      allowPositionals: true,
    });
    return { values: values as OptionValues<Table>, positionals };
  } catch (error) {
    throw toUsageError(error as Error & { code?: string }, table);
  }
}

function toUsageError(error: Error & { code?: string }, table: OptionTable): Error {
  // parseArgs names the option, in quotes, in each of its messages, with its short form in front.
  const given = /'(?:-\w, )?(-[^' ]*)/.exec(error.message)?.[1] ?? "";
  if (error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const names = Object.keys(table).map((name) => `--${name}`);
    return wrongValue("options", `only ${names.join(", ")}`, given);
  }
  if (error.code === "ERR_PARSE_ARGS_INVALID_OPTION_VALUE") {
    const { type, value } = table[given.replace(/^-+/, "")] ?? {};
    if (type === "boolean") return wrongValue(given, "no value", "one");
    return wrongValue(
      given,
      `a value, as in ${given} ${value ?? "VALUE"} or, when it begins with a dash, ` +
        `${given}=${value ?? "VALUE"}`,
      "none",
    );
  }
  return error;
}

/**
 * The one argument of a command that is no option.
 *
 * @param what What it is, as in `DIR, the folder to sweep`.
 */
export function onePositional(positionals: readonly string[], what: string): string {
  const [first, ...others] = positionals;
  if (first === undefined) throw wrongValue("arguments", what, "none");
  if (others.length === 0 && first !== "") return first;
  throw wrongValue("arguments", `only ${what}`, positionals.map((x) => x || '""').join(" "));
}
