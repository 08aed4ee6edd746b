/** A line that is longer is cut, in UTF-16 code units. */
const LONGEST = 10_000;

/** Cuts what a process writes into lines. */
export class OutputLines {
  readonly #line: (text: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** @param line Called with each line, without its end. */
  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  /** Takes some bytes. */
  push(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#emit(line);
    if (this.#rest.length <= LONGEST) return;
    this.#emit(this.#rest);
    this.#rest = "";
  }

  /** Nothing more comes. */
  end(): void {
    const rest = this.#rest + this.#decoder.decode();
    this.#rest = "";
    if (rest !== "") this.#emit(rest);
  }

  #emit(line: string): void {
    for (let start = 0; start === 0 || start < line.length; start += LONGEST) {
      this.#line(line.slice(start, start + LONGEST).replace(/\r$/, ""));
    }
  }
}
