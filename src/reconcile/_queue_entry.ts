import { type Duration, toMilliseconds } from "../base/duration.ts";
import type { HeapNode } from "./_queue_heap.ts";
import type { Linked } from "./_queue_list.ts";
import type { WorkItem } from "./work_item.ts";

/** Where a key is: it waits for nothing, but must not come before a certain moment. */
export const COOLING = 0;
/** It waits for its time. */
export const DELAYED = 1;
/** It waits for somebody to take it. */
export const READY = 2;
/** Somebody has it. */
export const IN_HAND = 3;
/** Whoever had it has let go of it. */
export const DONE = 4;

/** One of the places above. */
export type Place = 0 | 1 | 2 | 3 | 4;

/**
 * All that a queue knows of one key, from its add to the end of the work. It is what the lanes and the
 * heap are made of, and the item that is handed out, too, since a million keys may wait and each costs
 * time: nothing else is allocated for one. It goes its way once. A key that comes again has another
 * one, so that whoever lets go twice, or late, does not let go of what another one has.
 */
export class Entry<K> implements HeapNode, Linked<Entry<K>>, WorkItem<K> {
  readonly id: string;
  key: K;
  priority: number;
  /** Monotonic time: since when it is ready, or when it will be. */
  at: number;
  order = 0;
  index = -1;
  place: Place = DELAYED;
  /** Monotonic time before which the key must not be handed out, or not again. */
  notBefore = 0;
  prev: Entry<K> | undefined = undefined;
  next: Entry<K> | undefined = undefined;
  /** Monotonic time: since when it is in hand. */
  takenAt: number | undefined = undefined;
  /** The key was added while this one is in hand, and comes once more. */
  again: Entry<K> | undefined = undefined;
  readonly #release: (entry: Entry<K>, putOff?: number) => void;

  constructor(
    id: string,
    key: K,
    priority: number,
    at: number,
    release: (entry: Entry<K>, putOff?: number) => void,
  ) {
    this.id = id;
    this.key = key;
    this.priority = priority;
    this.at = at;
    this.#release = release;
  }

  get waited(): number {
    // The one may be read less exactly than the other.
    return Math.max(this.takenAt! - this.at, 0);
  }

  done(): void {
    if (this.place === IN_HAND) this.#release(this);
  }

  putOff(delay: Duration): void {
    const milliseconds = toMilliseconds(delay, "delay");
    if (this.place === IN_HAND) this.#release(this, milliseconds);
  }

  [Symbol.dispose](): void {
    this.done();
  }
}
