/** After so many milliseconds of nothing but runs, everything else of the program gets its turn. */
const TURN = 5;

/** A queue that is shorter than this is soon empty. */
const LONG_QUEUE = 256;

/**
 * As long as workers answer and are given more, Deno gets to nothing but their messages. So that
 * timers and others get their turn, a long queue is left alone now and then.
 */
export class Pacer {
  readonly #resume: () => void;
  readonly #track: (work: Promise<void>) => void;
  #turnStart: number | undefined;
  #isPaused = false;

  /**
   * @param resume Called when a pause is over.
   * @param track Told of each wait, which holds a timer.
   */
  constructor(resume: () => void, track: (work: Promise<void>) => void) {
    this.#resume = resume;
    this.#track = track;
  }

  /** Whether a queue of that size is to be left alone for now. */
  isPausing(queued: number): boolean {
    if (this.#isPaused) return true;
    if (queued < LONG_QUEUE) return false;
    const now = performance.now();
    if (this.#turnStart === undefined) {
      this.#turnStart = now;
      this.#nextTurn(() => this.#turnStart = undefined);
    } else if (now - this.#turnStart > TURN) {
      this.#isPaused = true;
      this.#nextTurn(() => {
        this.#isPaused = false;
        this.#resume();
      });
    }
    return this.#isPaused;
  }

  #nextTurn(callback: () => void): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(() => {
      resolve();
      callback();
    }, 0);
    this.#track(promise);
  }
}
