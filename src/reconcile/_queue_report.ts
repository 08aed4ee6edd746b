import type { Clock } from "../base/clock.ts";
import { DELAYED, type Entry, IN_HAND, READY } from "./_queue_entry.ts";
import type { StopMode, WorkLeft } from "./work_left.ts";
import type { DelayedWork, QueuedWork, WorkInHand } from "./work_queue_snapshot.ts";

/** What a queue counts. */
export class Counters {
  added = 0;
  deduplicated = 0;
  retried = 0;
  refused = 0;
  taken = 0;
  done = 0;
}

/** The keys that a queue did not come to. */
export function leftOf<K>(entries: Iterable<Entry<K>>, mode: StopMode, now: number): WorkLeft<K> {
  const left = { mode, queued: [] as K[], delayed: [] as K[], inHand: [] as K[] };
  for (const { place, key, again } of entries) {
    if (place === READY) left.queued.push(key);
    else if (place === DELAYED) left.delayed.push(key);
    else if (place === IN_HAND) {
      left.inHand.push(key);
      if (again !== undefined) (again.at > now ? left.delayed : left.queued).push(again.key);
    }
  }
  return left;
}

/** Where each key of a queue is. */
export function placesOf<K>(entries: Iterable<Entry<K>>, clock: Clock): {
  queued: QueuedWork<K>[];
  delayed: DelayedWork<K>[];
  inHand: WorkInHand<K>[];
} {
  const queued: QueuedWork<K>[] = [];
  const delayed: DelayedWork<K>[] = [];
  const inHand: WorkInHand<K>[] = [];
  // From the monotonic time of the queue to the wall clock of people.
  const offset = clock.now() - clock.monotonic();
  for (const { place, key, priority, at, takenAt, again } of entries) {
    if (place === READY) queued.push({ key, priority, since: at + offset });
    else if (place === DELAYED) delayed.push({ key, priority, due: at + offset });
    else if (place === IN_HAND) {
      inHand.push({ key, priority, since: takenAt! + offset, again: again !== undefined });
    }
  }
  return { queued, delayed, inHand };
}
