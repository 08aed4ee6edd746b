import { BUCKET_WORDS, READS, type SharedMemory } from "./_shared_layout.ts";

/** Reads of an entry are counted up to this: more of them would not make it any dearer. */
const MOST = 3;

/**
 * How often the record of each slot was read since it was written, in a byte beside the slot. It is no
 * more than a hint, so nothing about it is atomic: two who write at once may lose a count, or give it to
 * another record.
 */
export class Reads {
  readonly #bytes: Uint8Array;
  readonly #first: number;

  constructor({ bytes, layout }: SharedMemory) {
    this.#bytes = bytes;
    this.#first = layout.index;
  }

  /** The record of the slot was read. */
  add(slot: number): void {
    const at = this.#at(slot);
    const reads = this.#bytes[at]!;
    // Not always, as writing what other threads read costs them time.
    if (reads < MOST) this.#bytes[at] = reads + 1;
  }

  /** The record of the slot is new. */
  forget(slot: number): void {
    this.#bytes[this.#at(slot)] = 0;
  }

  has(slot: number): boolean {
    return this.#bytes[this.#at(slot)] !== 0;
  }

  /** One of them has saved the record. */
  spend(slot: number): void {
    const at = this.#at(slot);
    this.#bytes[at] = Math.max(0, Math.min(MOST, this.#bytes[at]!) - 1);
  }

  #at(slot: number): number {
    const way = slot - this.#first & BUCKET_WORDS - 1;
    return (slot - way + READS) * 4 + way;
  }
}
