import type { StopMode } from "./work_left.ts";

/** A key that can be taken. */
export interface QueuedWork<K> {
  /** The key. */
  readonly key: K;
  /** Its priority. */
  readonly priority: number;
  /** Since when it is ready: milliseconds since the epoch. */
  readonly since: number;
}

/** A key that waits for its time. */
export interface DelayedWork<K> {
  /** The key. */
  readonly key: K;
  /** Its priority. */
  readonly priority: number;
  /** When it will be ready: milliseconds since the epoch. */
  readonly due: number;
}

/** A key that somebody has. */
export interface WorkInHand<K> {
  /** The key. */
  readonly key: K;
  /** The priority that it was taken with. */
  readonly priority: number;
  /** Since when it is in hand: milliseconds since the epoch. */
  readonly since: number;
  /** Whether it was added again meanwhile. */
  readonly again: boolean;
}

/** Where one key is at one moment: in one of these places, or in none. */
export interface WorkStatus<K> {
  /** Set when it can be taken. */
  readonly queued: QueuedWork<K> | undefined;
  /** Set when it waits for its time. */
  readonly delayed: DelayedWork<K> | undefined;
  /** Set when somebody has it. */
  readonly inHand: WorkInHand<K> | undefined;
}

/** What happened to a queue since it was made. Each counter only grows. */
export interface WorkQueueCounters {
  /** Adds that queued a key, or will. */
  readonly added: number;
  /** Adds of a key that waited already. */
  readonly deduplicated: number;
  /** Adds with a delay. */
  readonly retried: number;
  /** Adds that came after the queue began to stop. */
  readonly refused: number;
  /** Keys that were handed out. */
  readonly taken: number;
  /** Keys that were let go of. */
  readonly done: number;
}

/** How a queue is at one moment. */
export interface WorkQueueSnapshot<K> {
  /** The name of the queue. */
  readonly name: string;
  /** Whether it hands out nothing for the time being. */
  readonly paused: boolean;
  /** How it stops, or has stopped; `undefined` as long as it does neither. */
  readonly stopping: StopMode | undefined;
  /** How many `take()` wait. */
  readonly waiting: number;
  /** What can be taken, in no order. */
  readonly queued: readonly QueuedWork<K>[];
  /** What waits for its time, in no order. */
  readonly delayed: readonly DelayedWork<K>[];
  /** What somebody has. */
  readonly inHand: readonly WorkInHand<K>[];
  /** What happened so far. */
  readonly counters: WorkQueueCounters;
}
