import { DELAYED, type Entry } from "./_queue_entry.ts";

/** What is to be of a key that is put off, when that is taken back. */
interface Deferred {
  /** The time before which it must not come all the same: its interval. */
  notBefore: number;
  /** Until when it is put off, be that longer or not. */
  until: number;
  /** When it would come, if it waits. */
  at: number;
}

/** What keys that are put off were before. Few are, so it is not for each key to carry. */
export class Deferrals<K> {
  readonly #all = new Map<string, Deferred>();

  /**
   * Puts off a key, whatever was said before; 0 takes that back. Says so in its entry.
   *
   * @returns When it would come without that, if it waits; `undefined`: nothing has changed.
   */
  put(entry: Entry<K>, delay: number, now: number): number | undefined {
    // One whose time has passed needs not be taken back.
    const before = entry.notBefore > now ? this.#all.get(entry.id) : undefined;
    const deferred = before ?? { notBefore: entry.notBefore, until: 0, at: entry.at };
    // Zero puts nobody off, so nobody loses its turn.
    deferred.until = delay > 0 ? now + delay : 0;
    if (delay > 0) this.#all.set(entry.id, deferred);
    else this.#all.delete(entry.id);
    const notBefore = Math.max(deferred.notBefore, deferred.until);
    if (notBefore === entry.notBefore) return undefined;
    entry.notBefore = notBefore;
    return deferred.at;
  }

  /** No interval counts for an entry in hand any more, only what was said of it since it was taken. */
  withoutInterval(entry: Entry<K>): void {
    const deferred = this.#all.get(entry.id);
    if (deferred !== undefined) deferred.notBefore = 0;
    entry.notBefore = deferred?.until ?? 0;
  }

  /** A key that is known, and not in hand, was added: it would come at that time. */
  added({ id, place }: Entry<K>, at: number): void {
    const deferred = this.#all.get(id);
    if (deferred === undefined || (place === DELAYED && deferred.at <= at)) return;
    deferred.at = at;
  }

  /** Forgets what was said of a key. */
  delete({ id }: Entry<K>): void {
    if (this.#all.size > 0) this.#all.delete(id);
  }

  /** Forgets everything. */
  clear(): void {
    this.#all.clear();
  }
}
