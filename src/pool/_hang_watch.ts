import { systemClock } from "../base/clock.ts";
import { WorkerCrashedError } from "../base/errors.ts";
import type { WorkerHandle } from "./worker_handle.ts";

/** How to watch for workers that hang. */
export interface HangWatchOptions {
  /** A worker that has runs and shows no sign of life for so long hangs, in milliseconds. */
  readonly timeout: number;
  /** Whether such a worker is ended. */
  readonly kills: boolean;
  /** Whether there is any run that a worker has or will have. */
  hasWork(): boolean;
  /** The workers to look at. */
  handles(): Iterable<WorkerHandle>;
  /** A worker hangs. Called once for each silence. */
  onHang(handle: WorkerHandle, silentFor: number): void;
}

interface Sign {
  readonly beat: number;
  /** By the time of the watch. */
  readonly at: number;
  readonly isReported: boolean;
}

/** Looks now and then whether the workers show signs of life. */
export class HangWatch implements Disposable {
  readonly #options: HangWatchOptions;
  readonly #signs = new WeakMap<WorkerHandle, Sign>();
  #timer: Disposable | undefined;
  #armedAt = 0;
  /**
   * Milliseconds in which it could have seen signs. When it is late itself, the thread was blocked or the
   * whole process stood still: that is no silence of the workers'.
   */
  #time = 0;

  constructor(options: HangWatchOptions) {
    this.#options = options;
  }

  /** There are runs now. It stops by itself when there are none. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#armedAt = performance.now();
    this.#timer = systemClock.setTimer(() => this.#look(), this.#options.timeout / 4);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #look(): void {
    this.#timer = undefined;
    this.#time += Math.min(performance.now() - this.#armedAt, this.#options.timeout / 2);
    for (const handle of this.#options.handles()) {
      if (handle.state === "running") this.#judge(handle);
      else this.#signs.delete(handle);
    }
    if (this.#options.hasWork()) this.start();
  }

  #judge(handle: WorkerHandle): void {
    const { timeout, kills, onHang } = this.#options;
    const beat = handle.heartbeat;
    const sign = this.#signs.get(handle);
    if (sign === undefined || sign.beat !== beat) {
      this.#signs.set(handle, { beat, at: this.#time, isReported: false });
      return;
    }
    const silentFor = this.#time - sign.at;
    if (silentFor < timeout || sign.isReported) return;
    this.#signs.set(handle, { ...sign, isReported: true });
    onHang(handle, silentFor);
    if (!kills) return;
    const why = `its event loop was silent for ${Math.round(silentFor)} ms`;
    void handle.killFor("killed", new WorkerCrashedError(handle.name, why));
  }
}
