/**
 * How often something may fail before it is given up: more than `max` times within `window`
 * milliseconds is too often.
 */
export class RestartIntensity {
  readonly #max: number;
  readonly #window: number;
  #failures: number[] = [];
  #streak = 0;

  constructor(max: number, window: number) {
    this.#max = max;
    this.#window = window;
  }

  /** Failures since the last success. */
  get streak(): number {
    return this.#streak;
  }

  /** @returns Whether it failed too often now. */
  failed(now: number): boolean {
    this.#streak++;
    this.#failures = this.#failures.filter((at) => now - at < this.#window);
    this.#failures.push(now);
    return this.#failures.length > this.#max;
  }

  /** A success ends the streak; the window remembers the failures all the same. */
  succeeded(): void {
    this.#streak = 0;
  }

  /** Forgets everything. */
  reset(): void {
    this.#streak = 0;
    this.#failures = [];
  }
}
