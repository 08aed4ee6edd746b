import type { Output } from "./_output.ts";

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const CLEAR_LINE = "\x1b[K";
const CLEAR_BELOW = "\x1b[J";

/**
 * A few lines at the bottom of a terminal that are drawn again and again.
 *
 * Between two frames the cursor waits on an empty line above the frame. So what others write, a
 * `console.log` in a task for instance, stays readable above the next frame; and all that a resized
 * terminal made of the last frame is below the cursor, where it is cleared.
 *
 * Dispose it to leave the last frame where it is, with the cursor below it. The end of the process
 * does the same.
 */
export class Screen implements Disposable {
  readonly #output: Output;
  #height = 0;
  #disposed = false;
  readonly #restore = (): void => this[Symbol.dispose]();

  constructor(output: Output) {
    this.#output = output;
    addEventListener("unload", this.#restore);
  }

  /** Draws a frame in place of the last one. Lines must fit the terminal, and so must their number. */
  draw(lines: readonly string[]): void {
    if (this.#disposed) return;
    const frame = ["", ...lines].map((line) => line + CLEAR_LINE).join("\n");
    const hide = this.#height === 0 ? HIDE_CURSOR : "";
    this.#height = lines.length;
    this.#output.write(`${hide}\r${frame}${CLEAR_BELOW}${up(this.#height)}\r`);
  }

  /** Takes the frame away. */
  clear(): void {
    if (this.#height === 0) return;
    this.#height = 0;
    this.#output.write(`\r${CLEAR_BELOW}${SHOW_CURSOR}`);
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    removeEventListener("unload", this.#restore);
    if (this.#height > 0) this.#output.write(`${down(this.#height)}\r\n${SHOW_CURSOR}`);
  }
}

function up(lines: number): string {
  return lines === 0 ? "" : `\x1b[${lines}A`;
}

function down(lines: number): string {
  return lines === 0 ? "" : `\x1b[${lines}B`;
}
