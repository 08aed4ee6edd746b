import { ROOT } from "./entries.ts";

/** A Deno child process whose lines a test can wait for. It is killed at the end of the scope. */
export class Child implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #lines: string[] = [];
  readonly #waiters = new Set<() => void>();
  readonly #reading: Promise<unknown>;
  #ended = false;

  /**
   * Starts it.
   *
   * @param args The arguments for Deno.
   * @param options `cwd`: the working directory, in place of the root of the repository.
   */
  constructor(args: string[], options: { cwd?: string } = {}) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args,
      cwd: options.cwd ?? ROOT,
      env: { NO_COLOR: "1" },
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const { stdout, stderr } = this.#process;
    this.#reading = Promise.all([this.#read(stdout), this.#read(stderr)]).then(() => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** Everything that it has printed, on both streams. */
  get output(): string {
    return this.#lines.join("\n");
  }

  /** Waits for a line with the text; throws when the process ends without it. */
  async line(text: string): Promise<string> {
    while (true) {
      const line = this.#lines.find((line) => line.includes(text));
      if (line !== undefined) return line;
      if (this.#ended) throw new Error(`The process ended without "${text}":\n${this.output}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiters.add(resolve);
      await promise;
      this.#waiters.delete(resolve);
    }
  }

  kill(signal: Deno.Signal): void {
    this.#process.kill(signal);
  }

  /** The exit code, when it has ended and all its output was read. */
  async end(): Promise<number> {
    const [{ code }] = await Promise.all([this.#process.status, this.#reading]);
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.end();
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    let rest = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.#lines.push(...lines);
      this.#wake();
    }
    if (rest !== "") this.#lines.push(rest);
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
  }
}
