/** The text of a stream, as far as it has come. */
export class StreamText {
  /** What has come so far. */
  text = "";
  /** Resolves at the end of the stream. */
  readonly ended: Promise<void>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.ended = this.#read();
  }

  /** Waits until the text fits the pattern. @returns The match; `null` when the text ended without. */
  async until(pattern: RegExp): Promise<RegExpExecArray | null> {
    while (true) {
      const match = pattern.exec(this.text);
      if (match !== null || this.#hasEnded) return match;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  /** Reads no further, as a reader does that has seen enough. */
  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    while (true) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      this.text += decoder.decode(value, { stream: true });
      this.#wake();
    }
    this.#hasEnded = true;
    this.#wake();
  }
}
