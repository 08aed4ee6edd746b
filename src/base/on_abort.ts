import { report } from "./report.ts";

type Listener = (reason: unknown) => void;

/**
 * All that wait for one signal. A signal gets exactly one listener of ours however many things it
 * owns: adding the n-th listener to an AbortSignal costs O(n), and aborting then costs O(n²).
 */
class AbortHub {
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<Listener>();
  readonly #fire = (): void => {
    hubs.delete(this.#signal);
    // One at a time: a listener may dispose of those that come after it.
    for (const listener of this.#listeners) {
      this.#listeners.delete(listener);
      call(listener, this.#signal.reason);
    }
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#fire, { once: true });
  }

  add(listener: Listener): Disposable {
    this.#listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
        this.#signal.removeEventListener("abort", this.#fire);
        hubs.delete(this.#signal);
      },
    };
  }
}

/** An exception that leaves an abort listener ends the process. */
function call(listener: Listener, reason: unknown): void {
  try {
    listener(reason);
  } catch (error) {
    report("an abort listener threw", error);
  }
}

const hubs = new WeakMap<AbortSignal, AbortHub>();

/**
 * Calls `listener` once when the signal aborts, or at once if it has aborted already.
 *
 * @param signal Whose abort to wait for.
 * @param listener Called with the signal's reason. An exception is reported, never fatal.
 * @returns Dispose it to stop waiting. The signal then holds nothing of it.
 */
export function onAbort(signal: AbortSignal, listener: (reason: unknown) => void): Disposable {
  if (signal.aborted) {
    call(listener, signal.reason);
    return { [Symbol.dispose]: () => {} };
  }
  let hub = hubs.get(signal);
  if (hub === undefined) hubs.set(signal, hub = new AbortHub(signal));
  // A fresh function for each call: the same listener may be added twice.
  return hub.add((reason) => listener(reason));
}
