import { encodeThrown } from "../protocol/error_codec.ts";
import type { FromWorker } from "../protocol/messages.ts";

/** A message of more results than this would keep its receiver busy for too long. */
const MOST = 64;

/** Collects results of runs that follow one another, so that many small ones go in one message. */
export class Outbox {
  readonly #post: (message: FromWorker) => void;
  readonly #task: () => string;
  /** Whether results are to say how large the heap is. */
  reportsHeap = false;
  #first = 0;
  #values: unknown[] = [];

  /**
   * @param post Sends a message; throws when it cannot be cloned.
   * @param task The name of the task, for messages.
   */
  constructor(post: (message: FromWorker) => void, task: () => string) {
    this.#post = post;
    this.#task = task;
  }

  /** Whether there is nothing to send. */
  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  /** A run returned. The result goes out with the next `flush()` at the latest. */
  add(sequence: number, value: unknown): void {
    if (this.#values.length > 0 && sequence !== this.#first + this.#values.length) this.flush();
    if (this.#values.length === 0) this.#first = sequence;
    this.#values.push(value);
    if (this.#values.length >= MOST) this.flush();
  }

  /** A run threw. */
  fail(sequence: number, thrown: unknown): void {
    this.flush();
    this.#post({ type: "leash:failed", sequence, error: encodeThrown(thrown) });
  }

  /** Sends what was collected. */
  flush(): void {
    const values = this.#values;
    if (values.length === 0) return;
    const first = this.#first;
    this.#values = [];
    try {
      this.#post(
        this.reportsHeap
          ? { type: "leash:results", sequence: first, values, heap: Deno.memoryUsage().heapUsed }
          : { type: "leash:results", sequence: first, values },
      );
    } catch (error) {
      if (values.length === 1) this.#postUncloneable(first, error);
      // One of them spoilt it for all, and has to be found.
      else for (const [index, value] of values.entries()) this.#postOne(first + index, value);
    }
  }

  #postOne(sequence: number, value: unknown): void {
    try {
      this.#post({ type: "leash:results", sequence, values: [value] });
    } catch (error) {
      this.#postUncloneable(sequence, error);
    }
  }

  #postUncloneable(sequence: number, cause: unknown): void {
    const error = new TypeError(
      `Cannot send the result of task "${this.#task()}" to the parent: it cannot be cloned`,
      { cause },
    );
    this.#post({ type: "leash:failed", sequence, error: encodeThrown(error) });
  }
}
