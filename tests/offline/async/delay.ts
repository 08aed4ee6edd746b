/** Options of {@linkcode delay}. */
export interface DelayOptions {
  /** Ends the wait: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** `false`: the wait does not keep the process alive. */
  persistent?: boolean;
}

/** Timers of the platform hold 31 bits; a longer wait is made of several. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits. It uses the global timers of the moment of the call, so a fake clock governs it. */
export function delay(ms: number, options: DelayOptions = {}): Promise<void> {
  const { signal, persistent = true } = options;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let left = Math.trunc(Math.max(ms, 0) || 0);
  let timer: number | undefined;

  const wait = () => {
    const part = Math.min(left, LONGEST_TIMER);
    left -= part;
    timer = Number(setTimeout(left > 0 ? wait : done, part));
    if (!persistent) Deno.unrefTimer(timer);
  };
  const done = () => {
    signal?.removeEventListener("abort", abort);
    resolve();
  };
  const abort = () => {
    clearTimeout(timer);
    reject(signal?.reason);
  };

  signal?.addEventListener("abort", abort, { once: true });
  wait();
  return promise;
}
