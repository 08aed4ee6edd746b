import { child } from "./_child.ts";
import { type ContestantName, CONTESTANTS } from "./_pool_contestant.ts";
import type { Job, Sample } from "./_pool_jobs.ts";

/** What comes back from the process of a contestant. */
export type Answer =
  | { readonly sample: Sample }
  /** The contestant could not do it, or did not answer. */
  | { readonly failure: string; readonly hung?: boolean }
  /** The contestant is not there. */
  | { readonly missing: string };

/** Begins a line that is an answer; a contestant may print others. */
export const MARK = "\x01pool_bench ";

/** The lines of a stream. */
export async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    yield* parts;
  }
}

/** The process of one contestant: whatever it does, the bench goes on. */
export class ContestantProcess {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  #answer: (answer: Answer) => void = () => {};
  #stderr = "";
  #isOver = false;

  /** Starts it. */
  constructor(name: ContestantName) {
    this.#child = child("bench/_pool_child.ts", [CONTESTANTS[name].module], {
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    void this.#read();
    void this.#readErrors();
  }

  /** Whether it cannot be asked any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Has one round done. It takes no longer than the limit: then the process is killed. */
  async ask(job: Job, limit: number): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#answer = resolve;
    const timer = setTimeout(() => {
      resolve({ failure: `no answer within ${limit / 1000} s`, hung: true });
      this.#kill();
    }, limit);
    // When it has ended, that is the answer.
    this.#input.write(new TextEncoder().encode(`${JSON.stringify(job)}\n`)).catch(() => {});
    const answer = await promise;
    clearTimeout(timer);
    if (!("sample" in answer)) this.#kill();
    return answer;
  }

  /** Lets it end, or kills it. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#kill(), 2_000);
    await this.#input.close().catch(() => {});
    await this.#child.status;
    clearTimeout(timer);
    this.#isOver = true;
  }

  #kill(): void {
    this.#isOver = true;
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
  }

  async #read(): Promise<void> {
    for await (const line of lines(this.#child.stdout)) {
      if (line.startsWith(MARK)) this.#answer(JSON.parse(line.slice(MARK.length)));
    }
    const { code } = await this.#child.status;
    this.#isOver = true;
    const [reason = ""] = this.#stderr.match(/^error:.*/m) ?? [];
    this.#answer({ failure: `the process ended with code ${code}${reason && `, ${reason}`}` });
  }

  async #readErrors(): Promise<void> {
    for await (const line of lines(this.#child.stderr)) {
      this.#stderr = `${this.#stderr}${line}\n`.slice(-10_000);
    }
  }
}
