/** What stands at the ends of the list. */
const NONE = -1;

/** The slots from the least to the most recently used: a linked list in two typed arrays. */
export class LruOrder {
  #before = new Int32Array(0);
  #after = new Int32Array(0);
  #first = NONE;
  #last = NONE;

  /** The least recently used slot. */
  get first(): number {
    return this.#first;
  }

  /** Makes room for so many slots. */
  grow(capacity: number): void {
    this.#before = grown(this.#before, capacity);
    this.#after = grown(this.#after, capacity);
  }

  /** Adds a slot as the most recently used. */
  append(slot: number): void {
    const last = this.#last;
    this.#before[slot] = last;
    this.#after[slot] = NONE;
    if (last === NONE) this.#first = slot;
    else this.#after[last] = slot;
    this.#last = slot;
  }

  /** Takes a slot out. */
  remove(slot: number): void {
    const before = this.#before[slot]!;
    const after = this.#after[slot]!;
    if (before === NONE) this.#first = after;
    else this.#after[before] = after;
    if (after === NONE) this.#last = before;
    else this.#before[after] = before;
  }

  /** Makes a slot the most recently used. */
  use(slot: number): void {
    if (slot === this.#last) return;
    this.remove(slot);
    this.append(slot);
  }

  /** Takes all slots out, and keeps room for so many. */
  clear(capacity: number): void {
    this.#before = new Int32Array(capacity);
    this.#after = new Int32Array(capacity);
    this.#first = this.#last = NONE;
  }
}

function grown(array: Int32Array<ArrayBuffer>, capacity: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(capacity);
  larger.set(array);
  return larger;
}
