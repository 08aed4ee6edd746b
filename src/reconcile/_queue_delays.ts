import type { Clock } from "../base/clock.ts";
import type { Entry } from "./_queue_entry.ts";
import { Heap } from "./_queue_heap.ts";

/**
 * Keys that wait for their time, behind one armed timer however many they are. `TimerQueue` does the
 * same for any items, at twice the memory for each.
 */
export class Delays<K> {
  readonly #clock: Clock;
  readonly #due: () => void;
  readonly #heap = new Heap<Entry<K>>();
  #timer: Disposable | undefined;
  #armedFor = Infinity;
  #order = 0;
  #stopped = false;

  /** @param due Called when it is time for `shift()`. */
  constructor(clock: Clock, due: () => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** How many there are. */
  get size(): number {
    return this.#heap.size;
  }

  /** Adds a key; `at` says when it is due. */
  push(entry: Entry<K>, now: number): void {
    entry.order = this.#order++;
    this.#heap.push(entry);
    if (entry.index === 0) this.arm(now);
  }

  /** Removes a key before its time. */
  remove(entry: Entry<K>): void {
    this.#heap.remove(entry);
    // It may now fire for nothing, once: cheaper than to arm it anew. But none is held for nothing.
    if (this.#heap.size === 0) this.#disarm();
  }

  /** Whether a key is due. */
  isDue(now: number): boolean {
    const entry = this.#heap.peek();
    return entry !== undefined && entry.at <= now && !this.#stopped;
  }

  /** Takes out the next one that is due. */
  shift(now: number): Entry<K> | undefined {
    if (!this.isDue(now)) return undefined;
    const entry = this.#heap.peek()!;
    this.#heap.remove(entry);
    return entry;
  }

  /** Sets the timer for the key that is due first. */
  arm(now: number): void {
    const first = this.#heap.peek();
    if (first === undefined || this.#stopped) return this.#disarm();
    if (this.#timer !== undefined) {
      if (this.#armedFor <= first.at) return;
      this.#timer[Symbol.dispose]();
    }
    this.#armedFor = first.at;
    // A timer of whole milliseconds must not fire before the time.
    this.#timer = this.#clock.setTimer(this.#fire, Math.ceil(Math.max(0, first.at - now)));
  }

  /** From now on nothing becomes due, and no timer is held. */
  stop(): void {
    this.#stopped = true;
    this.#disarm();
  }

  /** Forgets all keys. */
  clear(): void {
    this.#heap.clear();
    this.#disarm();
  }

  readonly #fire = (): void => {
    this.#timer = undefined;
    this.#armedFor = Infinity;
    this.#due();
  };

  #disarm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#armedFor = Infinity;
  }
}
