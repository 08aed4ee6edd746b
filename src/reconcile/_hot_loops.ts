interface Runs {
  runs: number;
  selfTriggered: number;
}

/** A key that never rests. */
export interface HotLoop extends Readonly<Runs> {
  readonly within: number;
}

/**
 * Finds keys that are reconciled again and again though nothing fails. It counts in windows of time that
 * follow each other, and forgets everything at the end of each, so it does not grow.
 */
export class HotLoops {
  readonly #limit: { readonly runs: number; readonly within: number } | undefined;
  readonly #keys = new Map<string, Runs>();
  #windowEnd = -Infinity;

  /** @param limit From when on it is a hot loop; `undefined`: never. */
  constructor(limit: { readonly runs: number; readonly within: number } | undefined) {
    this.#limit = limit;
  }

  /**
   * A run ended that did not fail.
   *
   * @param now Monotonic time.
   * @param selfTriggered Whether the key was added while it ran.
   * @returns The loop, once in each window.
   */
  ran(key: string, now: number, selfTriggered: boolean): HotLoop | undefined {
    if (this.#limit === undefined) return undefined;
    const { runs, within } = this.#limit;
    if (now >= this.#windowEnd) {
      this.#keys.clear();
      this.#windowEnd = now + within;
    }
    let entry = this.#keys.get(key);
    if (entry === undefined) this.#keys.set(key, entry = { runs: 0, selfTriggered: 0 });
    entry.runs++;
    if (selfTriggered) entry.selfTriggered++;
    return entry.runs === runs ? { ...entry, within } : undefined;
  }
}
