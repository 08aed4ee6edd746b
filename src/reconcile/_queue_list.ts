/** What a list holds. One thing can be in one list at a time. */
export interface Linked<Self> {
  /** The one before it in its list. */
  prev: Self | undefined;
  /** The one after it in its list. */
  next: Self | undefined;
}

/** First in, first out, and any one can leave from the middle in O(1): no dead slots to walk over. */
export class List<Item extends Linked<Item>> {
  #first: Item | undefined;
  #last: Item | undefined;

  /** The one that came first, which stays. */
  get first(): Item | undefined {
    return this.#first;
  }

  /** Adds one that is in no list. */
  push(item: Item): void {
    const last = this.#last;
    if (last === undefined) this.#first = item;
    else {
      last.next = item;
      item.prev = last;
    }
    this.#last = item;
  }

  /** Removes one of this list. */
  remove(item: Item): void {
    const { prev, next } = item;
    if (prev === undefined) this.#first = next;
    else prev.next = next;
    if (next === undefined) this.#last = prev;
    else next.prev = prev;
    item.prev = undefined;
    item.next = undefined;
  }
}
