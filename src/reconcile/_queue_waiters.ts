import { onAbort } from "../base/on_abort.ts";
import { type Linked, List } from "./_queue_list.ts";

/** One call that waits. */
class Waiter<T> implements Linked<Waiter<T>> {
  prev: Waiter<T> | undefined = undefined;
  next: Waiter<T> | undefined = undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
  listening: Disposable | undefined = undefined;

  constructor(resolve: (value: T) => void, reject: (reason: unknown) => void) {
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** Those that wait for something to take, in the order in which they came. */
export class Waiters<T> {
  readonly #list = new List<Waiter<T>>();
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Waits, until `signal` aborts. */
  wait(signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter<T>(resolve, reject);
      this.#list.push(waiter);
      this.#size++;
      if (signal === undefined) return;
      waiter.listening = onAbort(signal, (reason) => {
        this.#remove(waiter);
        reject(reason);
      });
    });
  }

  /** Ends the wait of the one that came first. */
  resolve(value: T): void {
    const waiter = this.#list.first!;
    this.#remove(waiter);
    waiter.resolve(value);
  }

  /** Ends the wait of all of them. */
  reject(reason: unknown): void {
    for (let waiter = this.#list.first; waiter !== undefined; waiter = this.#list.first) {
      this.#remove(waiter);
      waiter.reject(reason);
    }
  }

  #remove(waiter: Waiter<T>): void {
    this.#list.remove(waiter);
    this.#size--;
    waiter.listening?.[Symbol.dispose]();
  }
}
