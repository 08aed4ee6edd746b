/** What a queue can hold. */
export interface Queued {
  /** Larger is sooner. */
  readonly priority: number;
  /** Set when it waits no longer: it is then passed over. */
  readonly done: boolean;
  /** The queue's own: the time at which it would have come, had it priority 0. */
  key: number;
}

/** First in, first out; the array is cut only now and then. */
class Lane<Item extends Queued> {
  #items: Item[] = [];
  #head = 0;

  push(item: Item): void {
    this.#items.push(item);
  }

  unshift(items: Item[]): void {
    this.#items = [...items, ...this.#items.slice(this.#head)];
    this.#head = 0;
  }

  /** The first one that still waits. */
  peek(): Item | undefined {
    while (this.#head < this.#items.length && this.#items[this.#head]!.done) this.drop();
    return this.#items[this.#head];
  }

  drop(): void {
    this.#head++;
    if (this.#head < 1_024 || this.#head * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#head);
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
    item.key = now - item.priority * AGEING;
    this.#lane(item.priority).push(item);
  }

  /** Puts back what was taken, before everything else of the same priority. */
  unshift(items: readonly Item[]): void {
    for (const [priority, group] of Map.groupBy(items, ({ priority }) => priority)) {
      for (const item of group) item.key = -Infinity;
      this.#lane(priority).unshift(group);
      this.#size += group.length;
    }
  }

  /** The next one, which stays in the queue. */
  peek(): Item | undefined {
    return this.#next()?.peek();
  }

  /** Takes the next one out. */
  shift(): Item | undefined {
    const lane = this.#next();
    if (lane === undefined) return undefined;
    const item = lane.peek()!;
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
      const item = lane.peek();
      if (item === undefined) {
        // Priorities may be any numbers, so an empty lane must not stay for ever.
        if (this.#lanes.size > 1) this.#lanes.delete(priority);
      } else if (next === undefined || item.key < least) {
        next = lane;
        least = item.key;
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
