import type { Entry } from "./_queue_entry.ts";
import type { WorkItem } from "./work_item.ts";

/** One hand-out of a key. */
export class Hand<K> implements WorkItem<K> {
  readonly key: K;
  readonly priority: number;
  readonly since: number;
  readonly waited: number;
  readonly #entry: Entry<K>;
  readonly #release: (entry: Entry<K>, hand: Hand<K>) => void;

  constructor(
    entry: Entry<K>,
    since: number,
    waited: number,
    release: (entry: Entry<K>, hand: Hand<K>) => void,
  ) {
    this.key = entry.key;
    this.priority = entry.priority;
    this.since = since;
    this.waited = waited;
    this.#entry = entry;
    this.#release = release;
  }

  done(): void {
    // Whoever lets go twice, or late, must not let go of what another one has.
    if (this.#entry.holder === this) this.#release(this.#entry, this);
  }

  [Symbol.dispose](): void {
    this.done();
  }
}
