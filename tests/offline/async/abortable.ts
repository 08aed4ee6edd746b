/** Gives up waiting for a promise, or reading an iterable, when the signal aborts. */
export function abortable<T>(p: Promise<T>, signal: AbortSignal): Promise<T>;
export function abortable<T>(p: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T>;
export function abortable<T>(
  p: Promise<T> | AsyncIterable<T>,
  signal: AbortSignal,
): Promise<T> | AsyncGenerator<T> {
  return p instanceof Promise ? race(p, signal) : iterate(p, signal);
}

async function race<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  using aborted = rejection(signal);
  return await Promise.race([aborted.promise, promise]);
}

async function* iterate<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted();
  using aborted = rejection(signal);
  const iterator = source[Symbol.asyncIterator]();
  let exhausted = false;
  try {
    while (true) {
      const next = await Promise.race([aborted.promise, iterator.next()]);
      if (next.done) {
        exhausted = true;
        return next.value;
      }
      yield next.value;
    }
  } finally {
    // The reader left early or the signal aborted: the source must hear of it.
    if (!exhausted) await iterator.return?.();
  }
}

/** A promise that rejects when the signal aborts, and that leaves no listener behind. */
function rejection(signal: AbortSignal): Disposable & { promise: Promise<never> } {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  // Whoever races against it hears of the rejection; when nobody does, it is no error.
  promise.catch(() => {});
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return { promise, [Symbol.dispose]: () => signal.removeEventListener("abort", abort) };
}
