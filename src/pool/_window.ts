/** A worker is given at most so much work ahead, in milliseconds. */
const AHEAD = 2;

/**
 * How many runs may be in a worker at once. A run that waits in the worker costs no message of its
 * own, but it cannot go to another worker that is free, so only small runs may wait there: the window
 * follows how fast results come.
 */
export class Window {
  readonly #least: number;
  readonly #most: number;
  #size: number;
  #last = 0;

  /** @param least So many run at once anyway. @param most There is no room for more. */
  constructor(least: number, most: number) {
    this.#least = this.#size = least;
    this.#most = Math.max(least, most);
  }

  /** How many runs may be in the worker. */
  get size(): number {
    return this.#size;
  }

  /** Runs were sent to a worker that had none. */
  began(now: number): void {
    this.#last = now;
  }

  /** So many results came. */
  ended(count: number, now: number): void {
    const each = (now - this.#last) / count;
    this.#last = now;
    // It at most doubles each time: the first results of a burst may be quick by chance.
    const fitting = Math.min(AHEAD / each, this.#size * 2, this.#most);
    this.#size = Math.max(this.#least, Math.floor(fitting));
  }
}
