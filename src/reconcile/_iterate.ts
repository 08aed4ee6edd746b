import { systemClock } from "../base/clock.ts";
import { onAbort } from "../base/on_abort.ts";
import { pause } from "./_pause.ts";

/** Items between two looks at the time, and how long in milliseconds they may take without a turn. */
const CHECK_EVERY = 64;
const SLICE = 10;

/** What can be read one by one. */
export type Readable<Item> = AsyncIterable<Item> | Iterable<Item> | ReadableStream<Item>;

/**
 * Calls `each` for every item until the signal aborts. Then nobody waits for the next item any more: what
 * is read is told to end, and not waited for if it does not.
 *
 * @param items What to read.
 * @param signal Ends it.
 * @param each Called with each item.
 * @param opened Called as soon as the first item has been asked for.
 */
export async function iterate<Item>(
  items: Readable<Item>,
  signal: AbortSignal,
  each: (item: Item) => void,
  opened?: () => Promise<void>,
): Promise<void> {
  const iterator = iteratorOf(items);
  let count = 0;
  let since = performance.now();
  let wake = (): void => {};
  let isOver = false;
  using _listening = onAbort(signal, () => wake());
  const ask = (): Promise<IteratorResult<Item>> => {
    const next = Promise.resolve(iterator.next());
    // It is awaited below, maybe later than it fails.
    next.catch(() => isOver = true);
    return next;
  };
  try {
    let next = ask();
    await opened?.();
    while (!signal.aborted) {
      // Not a race: that would leave something on a promise that lives as long as the source.
      const result = await new Promise<IteratorResult<Item> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        next.then(resolve, reject);
      });
      if (result === undefined || signal.aborted) return;
      if (result.done) {
        isOver = true;
        return;
      }
      each(result.value);
      // What is there at once would keep everything else from its turn, timers and the abort included.
      if (++count % CHECK_EVERY === 0 && performance.now() - since > SLICE) {
        await pause(systemClock, 0, signal);
        since = performance.now();
        if (signal.aborted) return;
      }
      next = ask();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (!isOver) end(iterator);
  }
}

interface Reader<Item> {
  next(): IteratorResult<Item> | Promise<IteratorResult<Item>>;
  return?(): unknown;
}

function iteratorOf<Item>(items: Readable<Item>): Reader<Item> {
  if (items instanceof ReadableStream) {
    const reader = items.getReader();
    return {
      next: async () => await reader.read() as IteratorResult<Item>,
      // Unlike the stream's own iterator this ends a read that is under way.
      return: () => reader.cancel(),
    };
  }
  if (Symbol.asyncIterator in items) return items[Symbol.asyncIterator]();
  return items[Symbol.iterator]();
}

/** It may never answer, and what it throws is of no use to anybody. */
function end(iterator: Reader<unknown>): void {
  try {
    Promise.resolve(iterator.return?.()).catch(() => {});
  } catch {
    // The same.
  }
}
