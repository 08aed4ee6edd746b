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
  return {
    [Symbol.dispose]: () => {
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
