/** How long something took, in milliseconds, over the last 200 times. */
export interface DurationSummary {
  /** The median. */
  readonly p50: number;
  /** What 95 of 100 did not exceed. */
  readonly p95: number;
  /** The longest of all so far, also of those before the last 200. */
  readonly max: number;
}

const SAMPLES = 200;

/** Keeps the last durations of something. */
export class Durations {
  readonly #last: number[] = [];
  #count = 0;
  #longest = 0;

  /** Takes one, in milliseconds. */
  add(duration: number): void {
    this.#last[this.#count++ % SAMPLES] = duration;
    this.#longest = Math.max(this.#longest, duration);
  }

  /** The numbers as they are now; `undefined` before the first. */
  summary(): DurationSummary | undefined {
    if (this.#count === 0) return undefined;
    const sorted = this.#last.toSorted((a, b) => a - b);
    // The nearest rank: the least sample that so large a part of all samples does not exceed.
    const at = (part: number): number => sorted[Math.ceil(sorted.length * part) - 1]!;
    return { p50: at(0.5), p95: at(0.95), max: this.#longest };
  }
}
