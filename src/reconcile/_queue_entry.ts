import type { HeapNode } from "./_queue_heap.ts";
import type { Linked } from "./_queue_list.ts";

/** Where a key is: it waits for nothing, but must not come before a certain moment. */
export const COOLING = 0;
/** It waits for its time. */
export const DELAYED = 1;
/** It waits for somebody to take it. */
export const READY = 2;
/** Somebody has it. */
export const IN_HAND = 3;
/** Somebody has it, and it was added again meanwhile. */
export const AGAIN = 4;

/** Whoever has a key. */
export interface Holder<K> {
  readonly key: K;
  readonly priority: number;
  /** Since when; monotonic time. */
  readonly takenAt: number;
}

/** One of the places above. */
export type Place = 0 | 1 | 2 | 3 | 4;

/**
 * All that a queue knows of one key. It is what the lanes and the heap are made of, too, since a
 * million keys may wait: nothing else is allocated for one.
 */
export class Entry<K> implements HeapNode, Linked<Entry<K>> {
  readonly id: string;
  key: K;
  priority: number;
  /** Monotonic time: since when it is ready, or when it will be; of one in hand, when it may come again. */
  at: number;
  order = 0;
  index = -1;
  place: Place = DELAYED;
  /** Monotonic time before which it must not be handed out. */
  notBefore = 0;
  prev: Entry<K> | undefined = undefined;
  next: Entry<K> | undefined = undefined;
  /** Who has it. An earlier holder that lets go late is told from this one. */
  holder: Holder<K> | undefined = undefined;

  constructor(id: string, key: K, priority: number, at: number) {
    this.id = id;
    this.key = key;
    this.priority = priority;
    this.at = at;
  }
}
