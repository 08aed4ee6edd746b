import { LEASE_COUNT, LEASES, type SharedMemory } from "./_shared_layout.ts";
import type { SharedTime } from "./_shared_time.ts";

/** A key's lease may be in any of so many words. */
const WAYS = 4;
/** Deadlines count in units of 4 ticks, 64 ms, modulo 2^16: 70 minutes. */
const SHIFT = 2;
/** A deadline that seems to be further away than this lies in the past. In units: 35 minutes. */
const HALF = 0x8000;
/** The longest lease, in milliseconds. */
export const LONGEST_LEASE = 30 * 60_000;

/**
 * Who loads what: 16 bits of the key's hash and a deadline in each word. Whoever dies while loading
 * blocks the key until the deadline, and nobody after that. Two keys with the same bits wait for each
 * other, which costs time and is otherwise harmless.
 */
export class Leases {
  readonly #words: Int32Array;
  readonly #time: SharedTime;

  constructor(memory: SharedMemory, time: SharedTime) {
    this.#words = memory.words;
    this.#time = time;
  }

  /**
   * Tries to become the one who loads.
   *
   * @param milliseconds How long at most.
   * @returns The lease, to be given back; `undefined` while somebody else has it. `0`: there is no room
   * for leases, load without one.
   */
  take(hash: number, milliseconds: number): Lease | undefined | 0 {
    const words = this.#words;
    const tag = hash >>> 16;
    const first = LEASES + (hash & LEASE_COUNT / WAYS - 1) * WAYS;
    for (let turn = 0; turn < 16; turn++) {
      const now = this.#time.now() >>> SHIFT & 0xffff;
      let free = -1;
      for (let word = first; word < first + WAYS; word++) {
        const value = words[word]!;
        if (value === 0 || isOver(value, now)) {
          if (free < 0) free = word;
        } else if (value >>> 16 === tag) return undefined;
      }
      if (free < 0) return 0;
      const before = words[free]!;
      if (before !== 0 && !isOver(before, now)) continue;
      // One unit more, as the present one has begun already.
      const units = Math.ceil(milliseconds / (16 << SHIFT)) + 1;
      // Never 0: that would be the word of no lease.
      const value = tag << 16 | (now + units & 0xffff || 1);
      if (Atomics.compareExchange(words, free, before, value) !== before) continue;
      const twin = this.#twin(first, free, tag, now);
      if (!twin) return { word: free, value };
      // Two found different words free at the same time. The first word wins.
      this.give({ word: free, value });
    }
    return undefined;
  }

  /** Gives a lease back, if it has not run out and become somebody else's. */
  give({ word, value }: Lease): void {
    Atomics.compareExchange(this.#words, word, value, 0);
  }

  #twin(first: number, own: number, tag: number, now: number): boolean {
    for (let word = first; word < own; word++) {
      const value = Atomics.load(this.#words, word);
      if (value !== 0 && value >>> 16 === tag && !isOver(value, now)) return true;
    }
    return false;
  }
}

/** The right to load a key. */
export interface Lease {
  readonly word: number;
  readonly value: number;
}

function isOver(value: number, now: number): boolean {
  const left = (value & 0xffff) - now & 0xffff;
  return left === 0 || left > HALF;
}
