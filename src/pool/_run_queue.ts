/** What a queue can hold. */
export interface Queued {
  /** Larger is sooner. */
  readonly priority: number;
  /** Set when it waits no longer: it is then passed over. */
  readonly done: boolean;
}

interface Entry<Item> {
  readonly item: Item;
  /** The time at which it would have come, had it priority 0. */
  readonly key: number;
}

/** First in, first out; the array is cut only now and then. */
class Lane<Item extends Queued> {
  #entries: Entry<Item>[] = [];
  #head = 0;

  push(entry: Entry<Item>): void {
    this.#entries.push(entry);
  }

  unshift(entries: Entry<Item>[]): void {
    this.#entries.splice(0, this.#head, ...entries);
    this.#head = 0;
  }

  /** The first one that still waits. */
  peek(): Entry<Item> | undefined {
    while (this.#head < this.#entries.length && this.#entries[this.#head]!.item.done) this.drop();
    return this.#entries[this.#head];
  }

  drop(): void {
    this.#head++;
    if (this.#head < 1_024 || this.#head * 2 < this.#entries.length) return;
    this.#entries.splice(0, this.#head);
    this.#head = 0;
  }
}

/** Waiting for so long counts as much as one level of priority, in milliseconds. */
const AGEING = 1_000;

/**
 * Runs that wait for a worker, by priority, and in the order of coming within one. Waiting raises the
 * priority by one each second: a run of priority 0 is overtaken by one of priority 5 only if that
 * comes within five seconds after it. So nothing waits for ever, whatever comes.
 */
export class RunQueue<Item extends Queued> {
  readonly #lanes = new Map<number, Lane<Item>>();
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds one at the end of its priority. `now` is monotonic time. */
  push(item: Item, now: number): void {
    this.#size++;
    this.#lane(item.priority).push({ item, key: now - item.priority * AGEING });
  }

  /** Puts back what was taken, before everything else of the same priority. */
  unshift(items: readonly Item[]): void {
    for (const [priority, group] of Map.groupBy(items, ({ priority }) => priority)) {
      this.#lane(priority).unshift(group.map((item) => ({ item, key: -Infinity })));
      this.#size += group.length;
    }
  }

  /** The next one, which stays in the queue. */
  peek(): Item | undefined {
    return this.#next()?.peek()?.item;
  }

  /** Takes the next one out. */
  shift(): Item | undefined {
    const lane = this.#next();
    if (lane === undefined) return undefined;
    const { item } = lane.peek()!;
    lane.drop();
    this.#size--;
    return item;
  }

  /** One that waits was marked as done. */
  forget(): void {
    this.#size--;
  }

  #next(): Lane<Item> | undefined {
    let next: Lane<Item> | undefined;
    let least = Infinity;
    for (const [priority, lane] of this.#lanes) {
      const entry = lane.peek();
      if (entry === undefined) {
        // Priorities may be any numbers, so an empty lane must not stay for ever.
        if (this.#lanes.size > 1) this.#lanes.delete(priority);
      } else if (next === undefined || entry.key < least) {
        next = lane;
        least = entry.key;
      }
    }
    return next;
  }

  #lane(priority: number): Lane<Item> {
    let lane = this.#lanes.get(priority);
    if (lane === undefined) this.#lanes.set(priority, lane = new Lane());
    return lane;
  }
}
