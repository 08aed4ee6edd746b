import { type LiveEntry, track } from "./live.ts";
import { onAbort } from "./on_abort.ts";

// Under `deno test`, timers are loaded when they are first asked for, and microtasks run meanwhile. That
// must not be in the midst of a constructor, or a life may end before it has begun; so it is now.
void globalThis.setTimeout;

/** How a life ended, or why it is about to. */
export interface StopRequest {
  /** The owner's reason, or the one that `close()` was given. */
  readonly reason: unknown;
  /** Milliseconds that running work gets to end by itself. `undefined`: the owner's default. */
  readonly gracePeriod: number | undefined;
}

/**
 * One life that belongs to an AbortSignal: it stops when the signal aborts or when somebody closes
 * it, whichever comes first, exactly once.
 */
export class Owner {
  /** Settles as the teardown does. Never an unhandled rejection: it may be awaited or not. */
  readonly finished: Promise<void>;
  /** Makes what belongs to this life known as its parts. */
  readonly live: LiveEntry;
  readonly #teardown: (request: StopRequest) => Promise<void>;
  readonly #resolve: (result: Promise<void>) => void;
  readonly #controller = new AbortController();
  readonly #listening: Disposable;

  /**
   * @param signal The parent. Its abort stops this life, also when it aborted long ago.
   * @param teardown Ends everything below. Called once, never in an abort listener.
   * @param kind What it is the life of, as leak checks call it.
   */
  constructor(
    signal: AbortSignal,
    teardown: (request: StopRequest) => Promise<void>,
    kind: string = "owner",
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.finished = promise;
    promise.catch(() => {});
    this.live = track({
      kind,
      state: () => this.signal.aborted ? "stopping" : "open",
      signal,
      finished: promise,
    });
    this.#resolve = resolve;
    this.#teardown = teardown;
    this.#listening = onAbort(signal, (reason) => void this.stop({ reason }));
  }

  /** Aborted as soon as stopping begins. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins to stop, or joins a stop that has begun. */
  stop(request: { reason: unknown; gracePeriod?: number | undefined }): Promise<void> {
    if (!this.#controller.signal.aborted) {
      this.#controller.abort(request.reason);
      // Not the one of the request: `undefined` has become an AbortError.
      const { reason } = this.#controller.signal;
      const { gracePeriod } = request;
      // In a microtask, since the constructor of a subclass may still be at work.
      this.#resolve(
        Promise.resolve().then(() => {
          this.#listening[Symbol.dispose]();
          return this.#teardown({ reason, gracePeriod });
        }).finally(() => this.live[Symbol.dispose]()),
      );
    }
    return this.finished;
  }
}
