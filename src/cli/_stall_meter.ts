/** A shorter interval sees shorter stalls, and costs more. */
const INTERVAL = 20;

/**
 * Measures how long the event loop of this thread was blocked, by how much too late a timer is.
 * Dispose it to stop.
 */
export class StallMeter implements Disposable {
  #longest = 0;
  #last = performance.now();
  readonly #timer = setInterval(() => this.#tick(), INTERVAL);

  /** The longest stall so far, in milliseconds. */
  get longest(): number {
    return this.#longest;
  }

  #tick(): void {
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last - INTERVAL);
    this.#last = now;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
