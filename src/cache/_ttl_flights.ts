import { ClosedError } from "../base/errors.ts";
import { onAbort } from "../base/on_abort.ts";
import { show } from "../base/show.ts";
import type { TtlLoadContext } from "./ttl_cache_options.ts";

/** What a caller asks for. */
export interface LoadRequest<K, V> {
  readonly key: K;
  readonly load: (key: K, context: TtlLoadContext) => V | Promise<V>;
  /** Keeps the value. It may throw: then the load has failed. */
  readonly keep: (value: V) => void;
  /** For how long to remember a failure, in milliseconds. */
  readonly failureTtl: number;
  readonly signal: AbortSignal | undefined;
}

/** A load that is under way, and those who wait for it. */
interface Flight<V> {
  readonly result: PromiseWithResolvers<V>;
  readonly controller: AbortController;
  waiting: number;
  /** Whether its end is known. */
  isOver: boolean;
}

/** How many failures are remembered: keys that do not exist must not fill the memory. */
const MOST_FAILURES = 1_000;

/** Loads values, each key once at a time. */
export class Flights<K, V> {
  /** Loads that were begun. */
  loads = 0;
  /** Loads that failed. */
  failures = 0;
  readonly #owner: AbortSignal;
  readonly #now: () => number;
  readonly #flights = new Map<K, Flight<V>>();
  readonly #failed = new Map<K, { readonly error: unknown; readonly until: number }>();

  constructor(owner: AbortSignal, now: () => number) {
    this.#owner = owner;
    this.#now = now;
  }

  /**
   * The key was set or deleted: what is being loaded is older than that, and must not take its place.
   * Those who wait for it get it all the same.
   */
  forget(key: K): void {
    if (this.#flights.size > 0) this.#flights.delete(key);
    if (this.#failed.size > 0) this.#failed.delete(key);
  }

  /** The same for all keys. */
  forgetAll(): void {
    this.#flights.clear();
    this.#failed.clear();
  }

  /** Waits for the load of a key that is under way, or begins one. */
  wait(request: LoadRequest<K, V>): Promise<V> {
    const { key, signal } = request;
    const failed = this.#failed.get(key);
    if (failed !== undefined) {
      if (failed.until >= this.#now()) return Promise.reject(failed.error);
      this.#failed.delete(key);
    }
    const flight = this.#flights.get(key) ?? this.#begin(request);
    flight.waiting++;
    const { promise, resolve, reject } = Promise.withResolvers<V>();
    const listening = signal && onAbort(signal, reject);
    flight.result.promise.then(resolve, reject);
    return promise.finally(() => {
      listening?.[Symbol.dispose]();
      // A value may depend on the signal for longer than its load, as the body of a response does.
      if (--flight.waiting === 0 && !flight.isOver) this.#abandon(key, flight, signal?.reason);
    });
  }

  #begin(request: LoadRequest<K, V>): Flight<V> {
    const { key } = request;
    if (this.#owner.aborted) {
      throw new ClosedError(`load ${show(key)}`, "the owner of the cache has stopped", {
        cause: this.#owner.reason,
      });
    }
    const flight: Flight<V> = {
      result: Promise.withResolvers<V>(),
      controller: new AbortController(),
      waiting: 0,
      isOver: false,
    };
    const { promise, resolve, reject } = flight.result;
    this.#flights.set(key, flight);
    this.loads++;
    const owned = onAbort(this.#owner, (reason) => this.#abandon(key, flight, reason));
    // Nobody may be waiting any more when it fails.
    promise.catch(() => {}).then(() => owned[Symbol.dispose]());
    this.#run(request, flight).finally(() => flight.isOver = true).then(resolve, (error) => {
      this.failures++;
      if (this.#land(key, flight) && request.failureTtl > 0) {
        this.#remember(key, error, request.failureTtl);
      }
      reject(error);
    });
    return flight;
  }

  async #run({ key, load, keep }: LoadRequest<K, V>, flight: Flight<V>): Promise<V> {
    const value = await load(key, { signal: flight.controller.signal });
    if (this.#flights.get(key) === flight) {
      keep(value);
      this.#land(key, flight);
    }
    return value;
  }

  /** The load is over; whether its result still counts. */
  #land(key: K, flight: Flight<V>): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
  }

  /** Nobody waits for it any more. The next caller begins anew, whatever becomes of this one. */
  #abandon(key: K, flight: Flight<V>, reason: unknown): void {
    this.#land(key, flight);
    // It may never settle by itself, and the owner must not be listened to for ever.
    flight.result.reject(reason);
    // Listeners of the user's must not run within the abort of a signal that they do not know.
    queueMicrotask(() => flight.controller.abort(reason));
  }

  #remember(key: K, error: unknown, ttl: number): void {
    if (this.#failed.size >= MOST_FAILURES) {
      for (const oldest of this.#failed.keys()) {
        this.#failed.delete(oldest);
        break;
      }
    }
    this.#failed.set(key, { error, until: this.#now() + ttl });
  }
}
