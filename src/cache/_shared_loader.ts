import type { Clock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { onAbort } from "../base/on_abort.ts";
import { isLoose, type Lease, LONGEST_LEASE } from "./_shared_leases.ts";
import type { SharedStore } from "./_shared_store.ts";

/** Others look so often whether the value is there, in milliseconds: first, and at most. */
const FIRST_LOOK = 1;
const LAST_LOOK = 16;

/** One call of `getOrLoad`, with the cache's own functions for its key. */
export interface LoadRequest<Value> {
  readonly key: string | Uint8Array;
  readonly lease: Duration | undefined;
  readonly signal: AbortSignal | undefined;
  get(): Value | undefined;
  has(): boolean;
  load(signal: AbortSignal): Value | Promise<Value>;
  /** `isNewest` is asked at the last moment: to encode a value takes time, and may run the user's code. */
  set(value: Value, lease: Lease, isNewest: () => boolean): void;
}

/** A load that those of this thread wait for. */
interface Flight {
  readonly promise: Promise<unknown>;
  /** `undefined`: somebody else loads. */
  lease: Lease | undefined;
}

/** Lets one caller load a key, and the others wait: in this thread by a promise, elsewhere by a lease. */
export class SharedLoader {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #owner: AbortSignal;
  readonly #flights = new Map<string, Flight>();

  constructor(store: SharedStore, clock: Clock, owner: AbortSignal) {
    this.#store = store;
    this.#clock = clock;
    this.#owner = owner;
  }

  async load<Value>(request: LoadRequest<Value>): Promise<Value> {
    const lease = toMilliseconds(request.lease ?? 30_000, "lease", { minimum: 1 });
    if (lease > LONGEST_LEASE) {
      throw new RangeError(
        `Cannot load into a SharedCache: expected a lease of at most ${LONGEST_LEASE} ms: received ` +
          `${lease}`,
      );
    }
    const { key, signal } = request;
    // Bytes as characters of their own kind: no string is mistaken for them.
    const name = typeof key === "string" ? `s${key}` : `b${key.join()}`;
    let flight = this.#flights.get(name);
    // Who comes after the key was deleted must not get what was loaded before.
    if (flight === undefined || this.#isOutdated(flight)) {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const begun: Flight = flight = { promise, lease: undefined };
      this.#flights.set(name, begun);
      // Whoever called may have gone by then.
      promise.catch(() => {});
      // The load may ask for its own key, even in this turn.
      resolve(
        this.#fly(request, lease, begun).finally(() => {
          if (this.#flights.get(name) === begun) this.#flights.delete(name);
        }),
      );
    }
    return await untilAborted(untilAborted(flight.promise, this.#owner), signal) as Value;
  }

  #isOutdated({ lease }: Flight): boolean {
    return lease !== undefined && !this.#store.leases.isHeld(lease);
  }

  async #fly<Value>(
    request: LoadRequest<Value>,
    milliseconds: number,
    flight: Flight,
  ): Promise<Value> {
    const until = this.#clock.monotonic() + milliseconds;
    let pause = FIRST_LOOK;
    while (true) {
      this.#store.seek(request.key);
      const { leases, hash } = this.#store;
      let lease = leases.take(hash, milliseconds);
      // Time itself is bounded here, whatever the words of others say.
      if (lease === undefined && this.#clock.monotonic() >= until) lease = leases.seize(hash);
      flight.lease = lease;
      if (lease !== undefined) return await this.#load(request, lease);
      await this.#pause(pause);
      pause = Math.min(pause * 2, LAST_LOOK);
      this.#owner.throwIfAborted();
      const value = request.get();
      if (value !== undefined) return value;
    }
  }

  async #load<Value>(request: LoadRequest<Value>, lease: Lease): Promise<Value> {
    try {
      // It may have been stored between the caller's look and the lease.
      const found = request.get();
      if (found !== undefined) return found;
      const value = await request.load(this.#owner);
      this.#owner.throwIfAborted();
      // What was set or deleted during the load is newer than its result, which goes to its callers alone.
      const isNewest = (): boolean =>
        this.#store.leases.isHeld(lease) && !(isLoose(lease) && request.has());
      request.set(value, lease, isNewest);
      return value;
    } finally {
      this.#store.leases.give(lease);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.setTimer(resolve, milliseconds);
    const listening = onAbort(this.#owner, () => resolve());
    return promise.finally(() => {
      timer[Symbol.dispose]();
      listening[Symbol.dispose]();
    });
  }
}

/** Settles as the promise does, or rejects with the signal's reason when that comes first. */
function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const listening = onAbort(signal, reject);
  return Promise.race([promise, aborted]).finally(() => listening[Symbol.dispose]());
}
