import type { Duration } from "../base/duration.ts";

/**
 * A key in hand. Nobody else gets the key until this one is done; if it was added again meanwhile, it
 * is then queued, once.
 *
 * @example
 * ```ts
 * import { WorkQueue } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const owner = new AbortController();
 * await using queue = new WorkQueue({ signal: owner.signal });
 * queue.add("pod-1");
 * {
 *   using item = await queue.take(owner.signal);
 *   assertEquals(item.key, "pod-1");
 * } // done, whatever happened
 * ```
 */
export interface WorkItem<K> extends Disposable {
  /** The key, as it was added last. */
  readonly key: K;
  /** Its priority. Give it to `add()` to keep it when the key is added again. */
  readonly priority: number;
  /** How long it waited after it had become ready, in milliseconds. */
  readonly waited: number;
  /** Lets go of the key. A second call does nothing. */
  done(): void;
  /**
   * Lets go of the key as if it had not been handed out: it comes back after `delay`, with its priority,
   * and `minInterval` does not count from now. Also in a stop, which then says that it was left.
   *
   * @param delay From now.
   * @throws {RangeError} When the delay is out of range.
   */
  putOff(delay: Duration): void;
  /** The same as `done()`. */
  [Symbol.dispose](): void;
}
