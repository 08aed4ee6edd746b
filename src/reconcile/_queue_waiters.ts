import { onAbort } from "../base/on_abort.ts";
import { type Linked, List } from "./_queue_list.ts";

/** One call that waits. */
class Waiter<T> implements Linked<Waiter<T>> {
  prev: Waiter<T> | undefined = undefined;
  next: Waiter<T> | undefined = undefined;
  readonly group: Group<T> | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;

  constructor(
    group: Group<T> | undefined,
    resolve: (value: T) => void,
    reject: (reason: unknown) => void,
  ) {
    this.group = group;
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** All that wait with one signal, which knows of them through one listener. */
class Group<T> {
  readonly signal: AbortSignal;
  readonly waiters = new Set<Waiter<T>>();
  readonly listening: Disposable;

  constructor(signal: AbortSignal, aborted: (group: Group<T>, reason: unknown) => void) {
    this.signal = signal;
    this.listening = onAbort(signal, (reason) => aborted(this, reason));
  }
}

/** Those that wait for something to take, in the order in which they came. */
export class Waiters<T> {
  readonly #list = new List<Waiter<T>>();
  readonly #groups = new Map<AbortSignal, Group<T>>();
  /**
   * One group in which nobody waits: a consumer that has got something comes back with the same signal,
   * and to listen to it anew each time takes longer than all the rest.
   */
  #idle: Group<T> | undefined;
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Waits, until `signal` aborts. */
  wait(signal: AbortSignal | undefined): Promise<T> {
    const group = signal === undefined ? undefined : this.#groupOf(signal);
    return new Promise((resolve, reject) => {
      const waiter = new Waiter<T>(group, resolve, reject);
      group?.waiters.add(waiter);
      this.#list.push(waiter);
      this.#size++;
    });
  }

  /** Ends the wait of the one that came first. */
  resolve(value: T): void {
    const waiter = this.#list.first!;
    this.#remove(waiter);
    waiter.resolve(value);
  }

  /** Ends the wait of all of them, and listens to no signal any more. */
  end(reason: unknown): void {
    for (let waiter = this.#list.first; waiter !== undefined; waiter = this.#list.first) {
      this.#remove(waiter);
      waiter.reject(reason);
    }
    this.#leave(undefined);
  }

  #groupOf(signal: AbortSignal): Group<T> {
    let group = this.#groups.get(signal);
    if (group === undefined) {
      group = new Group<T>(signal, (group, reason) => this.#abort(group, reason));
      this.#groups.set(signal, group);
    } else if (group === this.#idle) this.#idle = undefined;
    return group;
  }

  #abort(group: Group<T>, reason: unknown): void {
    this.#groups.delete(group.signal);
    if (group === this.#idle) this.#idle = undefined;
    for (const waiter of group.waiters) {
      this.#list.remove(waiter);
      this.#size--;
      waiter.reject(reason);
    }
  }

  #remove(waiter: Waiter<T>): void {
    this.#list.remove(waiter);
    this.#size--;
    const { group } = waiter;
    if (group === undefined) return;
    group.waiters.delete(waiter);
    if (group.waiters.size === 0) this.#leave(group);
  }

  /** This group is idle now, and the one that was so far is forgotten. */
  #leave(group: Group<T> | undefined): void {
    const before = this.#idle;
    this.#idle = group;
    if (before === undefined) return;
    this.#groups.delete(before.signal);
    before.listening[Symbol.dispose]();
  }
}
