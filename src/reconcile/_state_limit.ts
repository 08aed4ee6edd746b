import type { Clock } from "../base/clock.ts";
import { onAbort } from "../base/on_abort.ts";

/** What a limit needs of its reconciler. */
export interface LimitSettings {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** In milliseconds. */
  readonly timeout: number;
}

/** The signal of one call of the user's: aborted with the reconciler's, or when its time is over. */
export class StateLimit implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: Disposable;
  readonly #listening: Disposable;

  /**
   * @param what Begins the message of the error, as in `To apply "a"`.
   * @param overdue Called when the time is over, and the call goes on.
   */
  constructor(what: string, { clock, timeout, signal }: LimitSettings, overdue: () => void) {
    this.#listening = onAbort(signal, (reason) => this.#controller.abort(reason));
    this.#timer = clock.setTimer(() => {
      const message = `${what} took more than ${timeout} ms`;
      this.#controller.abort(new DOMException(message, "TimeoutError"));
      overdue();
    }, timeout);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#listening[Symbol.dispose]();
  }
}
