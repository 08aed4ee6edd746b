/** What stands in a line. One thing can stand in one line at a time. */
export interface Placed {
  /** Its place. For the line alone. */
  index: number;
}

const LEAST = 16;
/** An empty line that is longer than this gives its memory back. */
const KEPT = 1_024;

/**
 * First in, first out, and any one can leave from the middle. A ring of places: one that left leaves a
 * gap, and gaps go when the ring is full, so a ring is never longer than four times its longest line.
 */
export class Line<Item extends Placed> {
  #places: (Item | undefined)[] = emptyPlaces(LEAST);
  /** The place of the first one, if there is one; it runs on, and round the ring. */
  #head = 0;
  /** The place of the next one that comes. */
  #tail = 0;
  #size = 0;

  /** How many stand in it. */
  get size(): number {
    return this.#size;
  }

  /** The one that came first, which stays. */
  get first(): Item | undefined {
    return this.#places[this.#head & (this.#places.length - 1)];
  }

  /** Adds one that is in no line. */
  push(item: Item): void {
    if (((this.#tail - this.#head) | 0) === this.#places.length) this.#makeRoom();
    this.#size++;
    this.#put(item);
  }

  /** Removes one of this line. */
  remove(item: Item): void {
    const mask = this.#places.length - 1;
    this.#places[item.index & mask] = undefined;
    item.index = -1;
    if (--this.#size === 0) this.#empty();
    while (this.#head !== this.#tail && this.#places[this.#head & mask] === undefined) {
      this.#head = (this.#head + 1) | 0;
    }
  }

  #put(item: Item): void {
    item.index = this.#tail;
    this.#places[this.#tail & (this.#places.length - 1)] = item;
    this.#tail = (this.#tail + 1) | 0;
  }

  #empty(): void {
    this.#head = this.#tail;
    if (this.#places.length > KEPT) this.#places = emptyPlaces(LEAST);
  }

  /** The ring is full: closes the gaps if there are many, or else makes it twice as long. */
  #makeRoom(): void {
    const before = this.#places;
    const { length } = before;
    const start = this.#head;
    const hasGaps = 2 * this.#size <= length;
    this.#places = emptyPlaces(hasGaps ? length : 2 * length);
    if (hasGaps) this.#tail = start;
    for (let step = 0; step < length; step++) {
      const place = (start + step) | 0;
      const item = before[place & (length - 1)];
      if (item === undefined) continue;
      if (hasGaps) this.#put(item);
      // To touch a million items takes longer than to move what points to them.
      else this.#places[place & (2 * length - 1)] = item;
    }
  }
}

/** @param length A power of two. */
function emptyPlaces<Item>(length: number): (Item | undefined)[] {
  return new Array(length).fill(undefined);
}
