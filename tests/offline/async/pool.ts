/** Tests may look for this text: it is the one that the real function uses. */
const FAILED = "Cannot complete the mapping as an error was thrown from an item";

/**
 * Maps items with so many calls at a time; results come in the order of the items. It starts at
 * once, not when somebody reads. After a failure no further item is started, the calls under way
 * may finish, and reading ends with an `AggregateError` of all failures.
 */
export function pooledMap<T, R>(
  poolLimit: number,
  array: Iterable<T> | AsyncIterable<T>,
  iteratorFn: (data: T) => Promise<R>,
): AsyncIterableIterator<R> {
  if (!Number.isInteger(poolLimit) || poolLimit < 1) {
    throw new RangeError(`Cannot map with this poolLimit: received ${poolLimit}`);
  }
  const running = new Set<Promise<R>>();
  let failure: AggregateError | undefined;
  const results = new TransformStream<Promise<R>, R>({
    async transform(result, controller) {
      try {
        controller.enqueue(await result);
      } catch (error) {
        // A failed item yields nothing here: it is reported at the end, together with the others.
        if (error === failure) throw error;
      }
    },
  });

  const run = async () => {
    const writer = results.writable.getWriter();
    const write = (result: Promise<R>) => void writer.write(result).catch(() => {});
    try {
      for await (const item of array) {
        const result = Promise.resolve(item).then(iteratorFn);
        running.add(result);
        // A rejected call stays in the set, so that the race and the report below see it.
        result.then(() => running.delete(result), () => {});
        write(result);
        if (running.size >= poolLimit) await Promise.race(running);
      }
      await Promise.all(running);
      await writer.close();
    } catch {
      const outcomes = await Promise.allSettled(running);
      const errors = outcomes.filter((one) => one.status === "rejected").map((one) => one.reason);
      failure = new AggregateError(errors, FAILED);
      write(Promise.reject(failure));
    }
  };
  run();
  return results.readable[Symbol.asyncIterator]();
}
