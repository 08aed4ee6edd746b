import { LEASE_COUNT, LEASES, type SharedMemory } from "./_shared_layout.ts";
import type { SharedTime } from "./_shared_time.ts";

/** A group of words: the lease of a key may be in any of the first ones, the last one counts. */
const GROUP = 4;
const WAYS = GROUP - 1;
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
 *
 * Whoever sets or deletes a key meanwhile revokes its lease: what is being loaded is older than that.
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
   * @returns The lease, to be given back; `undefined` while somebody else has it. Where there is no room,
   * a loose one.
   */
  take(hash: number, milliseconds: number): Lease | undefined {
    const words = this.#words;
    const tag = hash >>> 16;
    const first = firstOf(hash);
    const revocations = Atomics.load(words, first + WAYS);
    for (let turn = 0; turn < 16; turn++) {
      const now = this.#time.now() >>> SHIFT & 0xffff;
      let free = -1;
      for (let word = first; word < first + WAYS; word++) {
        const value = words[word]!;
        if (value === 0 || isOver(value, now)) {
          // Whoever had it may live on, and must see that the key is somebody else's now.
          if (value !== 0 && value >>> 16 === tag) Atomics.compareExchange(words, word, value, 0);
          if (free < 0) free = word;
        } else if (value >>> 16 === tag) return undefined;
      }
      if (free < 0) return this.#loose(first);
      const before = words[free]!;
      if (before !== 0 && !isOver(before, now)) continue;
      // One unit more, as the present one has begun already.
      const units = Math.ceil(milliseconds / (16 << SHIFT)) + 1;
      // Never 0: that would be the word of no lease.
      const value = tag << 16 | (now + units & 0xffff || 1);
      if (Atomics.compareExchange(words, free, before, value) !== before) continue;
      const twin = this.#twin(first, free, tag, now);
      if (!twin) return { word: free, value, revocations };
      // Two found different words free at the same time. The first word wins.
      Atomics.compareExchange(words, free, value, 0);
    }
    return undefined;
  }

  /** Takes the right to load from whoever has it; what that loads is worth nothing then. A loose one. */
  seize(hash: number): Lease {
    this.revoke(hash);
    return this.#loose(firstOf(hash));
  }

  /** Gives a lease back, if it has not run out and become somebody else's. */
  give(lease: Lease): void {
    const { word, value } = lease;
    if (!isLoose(lease)) Atomics.compareExchange(this.#words, word, value, 0);
  }

  /** Whether the key was neither set nor deleted, nor given to somebody else to load. */
  isHeld({ word, value, revocations }: Lease): boolean {
    return Atomics.load(this.#words, word) === value &&
      Atomics.load(this.#words, groupOf(word) + WAYS) === revocations;
  }

  /** The key is set or deleted. Without a load under way, that is a look at three words. */
  revoke(hash: number): void {
    const first = firstOf(hash);
    let taken = 0;
    for (let word = first; word < first + WAYS; word++) {
      const value = this.#words[word]!;
      if (value === 0) continue;
      taken++;
      if (value >>> 16 === hash >>> 16) this.#revoke(word, value);
    }
    // It may be loaded by somebody for whose lease there was no room.
    if (taken === WAYS) Atomics.add(this.#words, first + WAYS, 1);
  }

  /** All keys are deleted. */
  revokeAll(): void {
    for (let first = LEASES; first < LEASES + LEASE_COUNT; first += GROUP) {
      Atomics.add(this.#words, first + WAYS, 1);
      for (let word = first; word < first + WAYS; word++) {
        const value = this.#words[word]!;
        if (value !== 0) Atomics.compareExchange(this.#words, word, value, 0);
      }
    }
  }

  #loose(first: number): Lease {
    const word = first + WAYS;
    const revocations = Atomics.load(this.#words, word);
    return { word, value: revocations, revocations };
  }

  #revoke(word: number, value: number): void {
    // The next lease of the key may well look the same.
    Atomics.add(this.#words, groupOf(word) + WAYS, 1);
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
  /** How many leases of its group had been revoked. */
  readonly revocations: number;
}

/**
 * Whether it keeps nobody from loading the same key. What is set or deleted meanwhile is seen only as long
 * as there is no room for leases.
 */
export function isLoose({ word }: Lease): boolean {
  return word === groupOf(word) + WAYS;
}

function firstOf(hash: number): number {
  return LEASES + (hash & LEASE_COUNT / GROUP - 1) * GROUP;
}

function groupOf(word: number): number {
  return word - (word - LEASES) % GROUP;
}

function isOver(value: number, now: number): boolean {
  const left = (value & 0xffff) - now & 0xffff;
  return left === 0 || left > HALF;
}
