import { DueHeap, type HeapEntry } from "./_heap.ts";
import type { Clock } from "./clock.ts";
import { track } from "./live.ts";
import { report } from "./report.ts";

/**
 * Which clock a due time is read from. `"wall"` follows the computer's date, `"monotonic"` counts
 * on whatever happens to it.
 */
export type TimeBase = "wall" | "monotonic";

interface Entry<Item> extends HeapEntry {
  readonly item: Item;
  readonly base: TimeBase;
}

/** What a {@linkcode TimerQueue} calls. */
export interface TimerQueueHandlers<Item> {
  /** The item is due, and no longer in the queue. */
  due(item: Item, due: number, base: TimeBase): void;
  /** The wall clock was set `by` milliseconds forward (or back, when negative). */
  jumped?(by: number): void;
}

/**
 * How long a change of the wall clock may go unnoticed while something waits for it. Timers count
 * monotonic time, so a due time of the wall clock has to be looked at again now and then.
 */
const WALL_RECHECK = 10_000;

/** A difference below this is drift and adjustment, not a jump. */
const JUMP = 1_000;

/** An open queue with nothing in it still holds a timer, so that what owns it shows in leak checks. */
const IDLE = 86_400_000;

/**
 * Any number of due times behind one armed timer. Setting, moving and removing cost O(log n).
 *
 * It holds its timer from construction until it is disposed of.
 */
export class TimerQueue<Item> implements Disposable {
  readonly #clock: Clock;
  readonly #handlers: TimerQueueHandlers<Item>;
  readonly #heaps = { wall: new DueHeap<Entry<Item>>(), monotonic: new DueHeap<Entry<Item>>() };
  readonly #entries = new Map<Item, Entry<Item>>();
  readonly #live = track({ kind: "timer queue", state: () => `open, ${this.size} waiting` });
  #order = 0;
  #offset: number;
  #timer: Disposable | undefined;
  #armedFor = Infinity;
  #firing = false;
  #disposed = false;

  constructor(clock: Clock, handlers: TimerQueueHandlers<Item>) {
    this.#clock = clock;
    this.#handlers = handlers;
    this.#offset = clock.now() - clock.monotonic();
    this.#arm();
  }

  /** How many items wait. */
  get size(): number {
    return this.#entries.size;
  }

  /** Makes the item due at `due` on the given clock; an item that waits already is moved. */
  set(item: Item, due: number, base: TimeBase): void {
    if (this.#disposed) return;
    this.#take(item);
    const entry: Entry<Item> = { item, base, due, order: this.#order++, index: -1 };
    this.#entries.set(item, entry);
    this.#heaps[base].push(entry);
    if (entry.index === 0) this.#arm();
  }

  /** Forgets the item; nothing happens if it does not wait. */
  delete(item: Item): void {
    // The timer may now fire for nothing, once. That is cheaper than arming it anew each time.
    this.#take(item);
  }

  /** Forgets everything and holds no timer any more. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#entries.clear();
    this.#live[Symbol.dispose]();
  }

  #take(item: Item): void {
    const entry = this.#entries.get(item);
    if (entry === undefined) return;
    this.#entries.delete(item);
    if (entry.index >= 0) this.#heaps[entry.base].remove(entry);
  }

  #arm(): void {
    if (this.#disposed || this.#firing) return;
    const monotonic = this.#clock.monotonic();
    const wall = this.#heaps.wall.peek();
    const steady = this.#heaps.monotonic.peek();
    const delay = Math.max(
      0,
      Math.min(
        wall === undefined ? IDLE : Math.min(wall.due - this.#clock.now(), WALL_RECHECK),
        steady === undefined ? IDLE : steady.due - monotonic,
      ),
    );
    if (this.#timer !== undefined && this.#armedFor <= monotonic + delay) return;
    this.#timer?.[Symbol.dispose]();
    this.#armedFor = monotonic + delay;
    this.#timer = this.#clock.setTimer(() => this.#fire(), Math.ceil(delay));
  }

  #fire(): void {
    this.#timer = undefined;
    this.#firing = true;
    const monotonic = this.#clock.monotonic();
    const now = this.#clock.now();
    const jump = now - monotonic - this.#offset;
    if (Math.abs(jump) >= JUMP) {
      this.#offset = now - monotonic;
      this.#handlers.jumped?.(jump);
    }
    this.#drain("wall", now);
    this.#drain("monotonic", monotonic);
    this.#firing = false;
    this.#arm();
  }

  #drain(base: TimeBase, now: number): void {
    // All that is due first: what a handler sets for now waits for the next timer, and does not
    // come before those that have waited already.
    const heap = this.#heaps[base];
    const entries: Entry<Item>[] = [];
    for (let entry = heap.peek(); entry !== undefined && entry.due <= now; entry = heap.peek()) {
      heap.remove(entry);
      entries.push(entry);
    }
    for (const entry of entries) {
      // A handler may have moved or deleted it, or disposed of the queue.
      if (this.#entries.get(entry.item) !== entry) continue;
      this.#entries.delete(entry.item);
      try {
        this.#handlers.due(entry.item, entry.due, base);
      } catch (error) {
        // One bad handler must not silence everything else that waits here.
        report("a handler of a due time threw", error);
      }
    }
  }
}
