import type { Entry } from "./_queue_entry.ts";
import type { WorkItem } from "./work_item.ts";

/** One hand-out of a key. */
export class Hand<K> implements WorkItem<K> {
  readonly key: K;
  readonly priority: number;
  readonly waited: number;
  /** Since when it is in hand; monotonic time. */
  readonly takenAt: number;
  readonly #entry: Entry<K>;
  readonly #release: (entry: Entry<K>) => void;

  constructor(entry: Entry<K>, now: number, release: (entry: Entry<K>) => void) {
    this.key = entry.key;
    this.priority = entry.priority;
    this.waited = now - entry.at;
    this.takenAt = now;
    this.#entry = entry;
    this.#release = release;
  }

  done(): void {
    // Whoever lets go twice, or late, must not let go of what another one has.
    if (this.#entry.holder === this) this.#release(this.#entry);
  }

  [Symbol.dispose](): void {
    this.done();
  }
}
