import type { SchedulerEvent } from "../scheduler/events.ts";
import { formatCount } from "./_format.ts";
import type { Output } from "./_output.ts";
import { Screen } from "./_screen.ts";
import { sanitize, truncate } from "./_text.ts";
import type { View } from "./_view.ts";

/** Milliseconds between two frames. */
const FRAME = 200;

/** For a command that does one thing: a line that tells how far it is, and is gone at the end. */
export class StatusView implements View {
  readonly #output: Output;
  readonly #title: string;
  readonly #screen: Screen | undefined;
  #text = "";
  #drawnAt = -Infinity;

  constructor(output: Output, title: string) {
    this.#output = output;
    this.#title = title;
    if (output.isTerminal) this.#screen = new Screen(output);
  }

  event(event: SchedulerEvent): void {
    if (event.type !== "run-progress" || performance.now() - this.#drawnAt < FRAME) return;
    const of = event.total === undefined ? "" : ` of ${formatCount(event.total)}`;
    this.#draw(`${this.#title} … ${formatCount(event.done)}${of} ${this.#text}`);
  }

  say(text: string): void {
    this.#text = text;
    this.#draw(text);
  }

  [Symbol.dispose](): void {
    this.#screen?.clear();
    this.#screen?.[Symbol.dispose]();
  }

  #draw(line: string): void {
    this.#drawnAt = performance.now();
    this.#screen?.draw([truncate(sanitize(line), Math.max(1, this.#output.size().columns - 1))]);
  }
}
