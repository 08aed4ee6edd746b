/** What a heap holds: something due at a time, and where it stands. */
export interface HeapEntry {
  /** When it is due. */
  due: number;
  /** Breaks ties: what was set first is due first. */
  order: number;
  /** Its place in the heap, or -1. */
  index: number;
}

/** A binary heap by due time in which any entry can be moved or removed in O(log n). */
export class DueHeap<E extends HeapEntry> {
  readonly #entries: E[] = [];

  /** The entry that is due first. */
  peek(): E | undefined {
    return this.#entries[0];
  }

  /** Adds an entry that is in no heap. */
  push(entry: E): void {
    entry.index = this.#entries.length;
    this.#entries.push(entry);
    this.#up(entry);
  }

  /** Removes an entry of this heap. */
  remove(entry: E): void {
    const last = this.#entries.pop()!;
    if (last !== entry) {
      this.#place(last, entry.index);
      this.#up(last);
      this.#down(last);
    }
    entry.index = -1;
  }

  /** All entries, in no order. */
  [Symbol.iterator](): Iterator<E> {
    return this.#entries[Symbol.iterator]();
  }

  #place(entry: E, index: number): void {
    entry.index = index;
    this.#entries[index] = entry;
  }

  #up(entry: E): void {
    while (entry.index > 0) {
      const parent = this.#entries[(entry.index - 1) >> 1]!;
      if (!isBefore(entry, parent)) return;
      const index = parent.index;
      this.#place(parent, entry.index);
      this.#place(entry, index);
    }
  }

  #down(entry: E): void {
    while (true) {
      let child = this.#entries[2 * entry.index + 1];
      if (child === undefined) return;
      const right = this.#entries[2 * entry.index + 2];
      if (right !== undefined && isBefore(right, child)) child = right;
      if (!isBefore(child, entry)) return;
      const index = child.index;
      this.#place(child, entry.index);
      this.#place(entry, index);
    }
  }
}

function isBefore(a: HeapEntry, b: HeapEntry): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
