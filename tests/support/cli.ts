import { fileURLToPath } from "node:url";
import { ROOT } from "./entries.ts";

/** A child that says nothing for so long is ended, and the test that waits for it fails. */
const PATIENCE = 60_000;

/** How to start the command line tool. */
export interface CliOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** In place of `-A`. */
  permissions?: string[];
}

/** How it ended. */
export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
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

/** The command line tool as a child process. It is gone at the end of the block, whatever happens. */
export class Cli implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #stdout: Promise<void>;
  readonly #stderr: Promise<string>;
  readonly #watchdog: ReturnType<typeof setTimeout>;
  #text = "";
  #ended = false;
  #wake: () => void = () => {};

  constructor(args: string[], options: CliOptions = {}) {
    const [command, ...rest] = cliCommand(args, options.permissions);
    this.#process = new Deno.Command(command!, {
      args: rest,
      env: { NO_COLOR: "1", TZ: "UTC", ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#reader = this.#process.stdout.getReader();
    this.#stdout = this.#read();
    this.#stderr = new Response(this.#process.stderr).text();
    this.#watchdog = setTimeout(() => this.kill("SIGKILL"), PATIENCE);
  }

  /** Waits until the standard output fits the pattern. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#text)) {
      if (this.#ended) {
        throw new Error(
          `The child ended before its output fitted ${pattern}:\n${this.#text}${await this
            .#stderr}`,
        );
      }
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  /** Sends it a signal, unless it is gone. */
  kill(signal: Deno.Signal): void {
    try {
      this.#process.kill(signal);
    } catch {
      // It ended by itself.
    }
  }

  /** Closes its output, as a reader does that has seen enough. */
  async hangUp(): Promise<void> {
    await this.#reader.cancel();
  }

  /** Waits for its end. */
  async finish(): Promise<CliResult> {
    const [{ code }, stderr] = await Promise.all([
      this.#process.status,
      this.#stderr,
      this.#stdout,
    ]);
    clearTimeout(this.#watchdog);
    return { code, stdout: this.#text, stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.finish();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    while (true) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      this.#text += decoder.decode(value, { stream: true });
      this.#wake();
    }
    this.#ended = true;
    this.#wake();
  }
}

/** Runs the command line tool to its end. */
export async function runCli(args: string[], options?: CliOptions): Promise<CliResult> {
  await using cli = new Cli(args, options);
  return await cli.finish();
}
