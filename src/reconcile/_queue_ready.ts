import type { Entry } from "./_queue_entry.ts";
import { Heap, type HeapNode } from "./_queue_heap.ts";
import { List } from "./_queue_list.ts";

/** The keys of one priority, in the order in which they became ready. */
class Lane<K> implements HeapNode {
  readonly entries = new List<Entry<K>>();
  readonly priority: number;
  /** The time at which its first key would have come, had it priority 0. */
  at = 0;
  /** Of two lanes that are equal, the one with the higher priority goes first. */
  readonly order: number;
  index = -1;

  constructor(priority: number) {
    this.priority = priority;
    this.order = -priority;
  }
}

/**
 * What can be taken, by priority, and in the order of readiness within one. Each `ageing` milliseconds
 * of waiting count as one level of priority, so nothing waits for ever, whatever comes.
 */
export class ReadySet<K> {
  readonly #ageing: number;
  readonly #lanes = new Map<number, Lane<K>>();
  readonly #heap = new Heap<Lane<K>>();
  /** The lane that was asked for last: most queues know one priority. */
  #lane: Lane<K> | undefined;
  #size = 0;

  /** @param ageing In milliseconds; `Infinity`: the priority alone decides. */
  constructor(ageing: number) {
    this.#ageing = ageing;
  }

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds one at the end of its priority. */
  push(entry: Entry<K>): void {
    this.#size++;
    const lane = this.#laneOf(entry.priority);
    lane.entries.push(entry);
    if (lane.index >= 0) return;
    lane.at = this.#keyOf(entry);
    this.#heap.push(lane);
  }

  /** Removes one, wherever it stands. */
  remove(entry: Entry<K>): void {
    const lane = this.#laneOf(entry.priority);
    const wasFirst = lane.entries.first === entry;
    lane.entries.remove(entry);
    this.#size--;
    if (wasFirst) this.#settle(lane);
  }

  /** Takes the next one out. */
  shift(): Entry<K> | undefined {
    const lane = this.#heap.peek();
    if (lane === undefined) return undefined;
    const entry = lane.entries.first!;
    lane.entries.remove(entry);
    this.#size--;
    this.#settle(lane);
    return entry;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#lanes.clear();
    this.#lane = undefined;
    this.#heap.clear();
    this.#size = 0;
  }

  #laneOf(priority: number): Lane<K> {
    if (this.#lane?.priority === priority) return this.#lane;
    let lane = this.#lanes.get(priority);
    if (lane === undefined) this.#lanes.set(priority, lane = new Lane(priority));
    return this.#lane = lane;
  }

  /** Another one is the first of this lane. */
  #settle(lane: Lane<K>): void {
    const { first } = lane.entries;
    if (first !== undefined) {
      lane.at = this.#keyOf(first);
      this.#heap.moved(lane);
      return;
    }
    this.#heap.remove(lane);
    // Priorities may be any numbers, so an empty lane must not stay for ever; one may, as most queues
    // know only one priority and are empty every other moment.
    if (this.#lanes.size === 1) return;
    this.#lanes.delete(lane.priority);
    if (this.#lane === lane) this.#lane = undefined;
  }

  #keyOf({ at, priority }: Entry<K>): number {
    return this.#ageing === Infinity ? -priority : at - priority * this.#ageing;
  }
}
