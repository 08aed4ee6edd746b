import type { Clock } from "../base/clock.ts";
import type { StopMode } from "./work_left.ts";

/** From the weakest to the strictest. */
const MODES: readonly StopMode[] = ["drain", "finish", "now"];

/** A stop that has begun: each further call can only make it stricter and sooner. */
export class Stopping implements Disposable {
  /** How it stops now. */
  mode: StopMode = "drain";
  /** The deadline in force, as it was given. */
  deadline = Infinity;
  readonly #clock: Clock;
  readonly #late: () => void;
  #due = Infinity;
  #timer: Disposable | undefined;

  /** @param late Called when the deadline has passed. */
  constructor(clock: Clock, late: () => void) {
    this.#clock = clock;
    this.#late = late;
  }

  /** Takes the stricter mode and the earlier deadline of both. */
  tighten(mode: StopMode, deadline: number): void {
    if (MODES.indexOf(mode) > MODES.indexOf(this.mode)) this.mode = mode;
    const due = this.#clock.monotonic() + deadline;
    if (due >= this.#due) return;
    this.#due = due;
    this.deadline = deadline;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.setTimer(this.#late, Math.ceil(deadline));
  }

  /** It has stopped: no timer is held any more. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  /** Says whether that is a mode, in the words of an error if not. */
  static check(mode: StopMode, queue: string): void {
    if (MODES.includes(mode)) return;
    throw new TypeError(
      `Cannot stop ${queue}: expected "drain", "finish" or "now": received ${Deno.inspect(mode)}`,
    );
  }
}
