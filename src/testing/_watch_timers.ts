import { watch } from "./_scope.ts";

/** What `setTimeout` gives on Deno: Node's object. */
interface Timer {
  readonly _destroyed?: boolean;
}

/** Watches every timer set through the globals from now on. */
export function watchTimers(): Disposable {
  const { setTimeout, setInterval } = globalThis;
  const watchedTimeout = watched(setTimeout, "timer", "not fired yet");
  const watchedInterval = watched(setInterval, "interval", "not cleared");
  globalThis.setTimeout = watchedTimeout;
  globalThis.setInterval = watchedInterval;
  const timeouts = watchTimeoutSignals();
  return {
    [Symbol.dispose]: () => {
      timeouts[Symbol.dispose]();
      // Somebody else's may be in their places by now. Ours then watch nothing any more.
      if (globalThis.setTimeout === watchedTimeout) globalThis.setTimeout = setTimeout;
      if (globalThis.setInterval === watchedInterval) globalThis.setInterval = setInterval;
    },
  };
}

function watched<Set extends typeof setTimeout | typeof setInterval>(
  set: Set,
  what: string,
  alive: string,
): Set {
  return new Proxy(set, {
    apply(target, self, args) {
      const timer = Reflect.apply(target, self, args) as Timer;
      const item = watch({
        what,
        name: () => `of ${Number(args[1] ?? 0)} ms`,
        // Leash's own belong to objects that are watched themselves.
        state: () => timer._destroyed === false && !item!.site.inLeash ? alive : undefined,
      });
      return timer;
    },
  });
}

/**
 * `AbortSignal.timeout()` cannot be cleared, and holds nothing while nobody listens to it. With a
 * listener it keeps the process alive until it fires, and that can be left behind.
 */
function watchTimeoutSignals(): Disposable {
  const original = AbortSignal.timeout;
  const watchedTimeout = (delay: number): AbortSignal => {
    const signal = original.call(AbortSignal, delay);
    const listensTo = listenersOf(signal);
    watch({
      what: "AbortSignal.timeout()",
      name: () => `of ${delay} ms`,
      state: () => signal.aborted ? undefined : listensTo() ? "with a listener" : "",
    });
    return signal;
  };
  AbortSignal.timeout = watchedTimeout;
  return {
    [Symbol.dispose]: () => {
      if (AbortSignal.timeout === watchedTimeout) AbortSignal.timeout = original;
    },
  };
}

/** Keeps count of who listens; says whether anybody does. */
function listenersOf(signal: AbortSignal): () => boolean {
  const until = new Map<unknown, AbortSignal | undefined>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>): void => {
    const [type, listener, options] = args;
    if (type === "abort") {
      until.set(listener, typeof options === "object" ? options.signal : undefined);
    }
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>): void => {
    until.delete(args[1]);
    removeEventListener.apply(signal, args);
  };
  return () => signal.onabort !== null || [...until.values()].some((end) => !end?.aborted);
}
