import { fileURLToPath } from "node:url";
import { Child, type ChildOptions, type ChildResult } from "./child.ts";
import { ROOT } from "./entries.ts";

/** How to start the command line tool. */
export interface CliOptions extends ChildOptions {
  /** In place of `-A`. */
  permissions?: string[];
}

/** The path of a file in tests/fixtures/cli. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`tests/fixtures/cli/${name}`, ROOT));
}

/** The command that starts the command line tool. */
export function cliCommand(args: string[], permissions = ["-A"]): string[] {
  return [
    Deno.execPath(),
    "run",
    "--no-check",
    ...permissions,
    `--import-map=${fileURLToPath(new URL("tests/offline/import_map.json", ROOT))}`,
    fileURLToPath(new URL("src/cli/main.ts", ROOT)),
    ...args,
  ];
}

/** The command line tool as a child process. */
export class Cli extends Child {
  constructor(args: string[], { permissions, ...options }: CliOptions = {}) {
    super(cliCommand(args, permissions), options);
  }
}

/** Runs the command line tool to its end. */
export async function runCli(args: string[], options?: CliOptions): Promise<ChildResult> {
  await using cli = new Cli(args, options);
  return await cli.finish();
}
