/** How to map. */
export interface MapOptions {
  readonly concurrency: number;
  readonly ordered: boolean;
  /** Aborts all that is under way. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs each input, so many at once, and yields the results. Leaving the loop, or the first failure,
 * aborts the rest.
 *
 * @param inputs The inputs; no more are read than can be run.
 * @param run Runs one.
 * @param options How many at once, and in which order the results come.
 */
export async function* mapRuns<Input, Output>(
  inputs: Iterable<Input> | AsyncIterable<Input>,
  run: (input: Input, signal: AbortSignal) => Promise<Output>,
  { concurrency, ordered, signal }: MapOptions,
): AsyncGenerator<Output, void, undefined> {
  const controller = new AbortController();
  // One for all runs, so that nothing piles up on the user's signal.
  const either = signal === undefined
    ? controller.signal
    : AbortSignal.any([signal, controller.signal]);
  const iterator = Symbol.asyncIterator in inputs
    ? inputs[Symbol.asyncIterator]()
    : inputs[Symbol.iterator]();
  const underWay = new Set<Entry<Output>>();
  let isOver = false;
  try {
    while (true) {
      while (!isOver && underWay.size < concurrency) {
        const next = await iterator.next();
        if (next.done) isOver = true;
        else underWay.add(entryFor(run(next.value, either)));
      }
      const [oldest] = underWay;
      if (oldest === undefined) return;
      const entry = ordered ? oldest : await firstOf(underWay);
      const output = await entry.end;
      underWay.delete(entry);
      yield output();
    }
  } finally {
    controller.abort(new DOMException("The loop over the results has ended", "AbortError"));
    await Promise.all([...underWay].map(({ end }) => end));
    if (!isOver) await iterator.return?.();
  }
}

/** A run that is under way. Its failure is kept: it must not be an unhandled rejection meanwhile. */
interface Entry<Output> {
  readonly end: Promise<() => Output>;
}

function entryFor<Output>(run: Promise<Output>): Entry<Output> {
  return {
    end: run.then((output) => () => output, (error) => () => {
      throw error;
    }),
  };
}

function firstOf<Output>(entries: Set<Entry<Output>>): Promise<Entry<Output>> {
  return Promise.race([...entries].map((entry) => entry.end.then(() => entry)));
}
