import { report } from "../base/report.ts";
import type { RemovalCause } from "./removal_cause.ts";

type Listener<K, V> = (key: K, value: V, cause: RemovalCause) => void;

/**
 * Counts removals and tells the user of them, once whatever removed the entries is done: so the user's
 * code never sees a cache that is half changed, and never runs inside of itself.
 */
export class Removals<K, V> {
  /** By cause. */
  readonly counts: Record<RemovalCause, number> = {
    expired: 0,
    evicted: 0,
    deleted: 0,
    replaced: 0,
    cleared: 0,
  };
  readonly #listener: Listener<K, V> | undefined;
  readonly #pending: { key: K; value: V; cause: RemovalCause }[] = [];
  #telling = false;

  constructor(listener: Listener<K, V> | undefined) {
    this.#listener = listener;
  }

  /** Whether anybody is told. */
  get isHeard(): boolean {
    return this.#listener !== undefined;
  }

  /** Notes that an entry is gone. Must be followed by `tell`. */
  note(key: K, value: V, cause: RemovalCause): void {
    this.counts[cause]++;
    if (this.#listener !== undefined) this.#pending.push({ key, value, cause });
  }

  /** Tells what was noted. A call from within the user's code leaves it to the call around it. */
  tell(): void {
    if (this.#pending.length === 0 || this.#telling) return;
    this.#telling = true;
    // What the user's code removes meanwhile comes after what was removed before.
    for (let index = 0; index < this.#pending.length; index++) {
      const { key, value, cause } = this.#pending[index]!;
      try {
        const result: unknown = this.#listener!(key, value, cause);
        if (result instanceof Promise) result.catch(failed);
      } catch (error) {
        failed(error);
      }
    }
    this.#pending.length = 0;
    this.#telling = false;
  }
}

function failed(error: unknown): void {
  report("onRemove of a cache threw", error);
}
