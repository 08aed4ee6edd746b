import { ROOT } from "./entries.ts";
import { StreamText } from "./stream_text.ts";

/** A child that lives for so long is ended, and the test that waits for it fails. */
const PATIENCE = 300_000;

/** How to start a child. */
export interface ChildOptions {
  env?: Record<string, string>;
  cwd?: string;
}

/** How it ended. */
export interface ChildResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A child process. It is gone at the end of the block, whatever happens. */
export class Child implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #stdout: StreamText;
  readonly #stderr: StreamText;
  readonly #watchdog: ReturnType<typeof setTimeout>;

  /**
   * Starts it.
   *
   * @param command The program and its arguments.
   * @param options Where it runs: at the root of the repository, unless said otherwise.
   */
  constructor([program, ...args]: string[], options: ChildOptions = {}) {
    this.#process = new Deno.Command(program!, {
      args,
      env: { NO_COLOR: "1", TZ: "UTC", ...options.env },
      cwd: options.cwd ?? ROOT,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#stdout = new StreamText(this.#process.stdout);
    this.#stderr = new StreamText(this.#process.stderr);
    this.#watchdog = setTimeout(() => this.kill("SIGKILL"), PATIENCE);
  }

  /** Waits until the standard output fits the pattern. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    return await this.#stdout.until(pattern) ?? await this.#endedBefore(pattern);
  }

  /** Waits until the standard error fits the pattern. */
  async untilError(pattern: RegExp): Promise<RegExpExecArray> {
    return await this.#stderr.until(pattern) ?? await this.#endedBefore(pattern);
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
    await this.#stdout.cancel();
  }

  /** Waits for its end. */
  async finish(): Promise<ChildResult> {
    const { code } = await this.#process.status;
    await Promise.all([this.#stdout.ended, this.#stderr.ended]);
    clearTimeout(this.#watchdog);
    return { code, stdout: this.#stdout.text, stderr: this.#stderr.text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.finish();
  }

  async #endedBefore(pattern: RegExp): Promise<never> {
    const { stdout, stderr } = await this.finish();
    throw new Error(`The child ended before its output fitted ${pattern}:\n${stdout}${stderr}`);
  }
}

/** The command that starts Deno. */
export function denoCommand(...args: string[]): string[] {
  return [Deno.execPath(), ...args];
}
