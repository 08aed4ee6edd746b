import type { Clock } from "../base/clock.ts";
import type { WorkerHandle } from "./worker_handle.ts";

/**
 * Workers with nothing to do. One timer serves all of them, and it is set only when there is none:
 * under load workers come and go here many times in a millisecond.
 */
export class IdleWorkers implements Disposable {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #retire: (handle: WorkerHandle) => void;
  readonly #since = new Map<WorkerHandle, number>();
  #timer: Disposable | undefined;
  #isDisposed = false;

  /**
   * @param clock The time.
   * @param timeout How long a worker may have nothing to do, in milliseconds.
   * @param retire Called for each that had nothing to do for so long. It may keep it.
   */
  constructor(clock: Clock, timeout: number, retire: (handle: WorkerHandle) => void) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#retire = retire;
  }

  /** All of them, those that have waited longest first. */
  get handles(): WorkerHandle[] {
    return [...this.#since.keys()];
  }

  /** A worker has nothing to do. */
  add(handle: WorkerHandle): void {
    this.#since.set(handle, this.#clock.monotonic());
    this.#arm();
  }

  /** A worker is at work again, or gone. */
  delete(handle: WorkerHandle): void {
    this.#since.delete(handle);
  }

  /** A worker is gone: if it was the last one, no timer is left. */
  ended(handle: WorkerHandle): void {
    this.#since.delete(handle);
    if (this.#since.size === 0) this.#disarm();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#since.clear();
    this.#disarm();
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#isDisposed || this.#timeout === Infinity) return;
    const [oldest] = this.#since.values();
    if (oldest === undefined) return;
    const wait = Math.max(0, oldest + this.#timeout - this.#clock.monotonic());
    this.#timer = this.#clock.setTimer(() => {
      this.#timer = undefined;
      for (const [handle, since] of this.#since) {
        if (this.#clock.monotonic() - since < this.#timeout) break;
        // Those that are kept begin to wait anew, behind the others.
        this.#since.delete(handle);
        this.#since.set(handle, this.#clock.monotonic());
        this.#retire(handle);
      }
      this.#arm();
    }, wait);
  }

  #disarm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
