/// <reference lib="deno.worker" />
/**
 * Another worker that reads a SharedCache, and asks the main thread the same questions by messages.
 *
 * @module
 */

import { SharedCache } from "../src/cache/shared_cache.ts";

self.onmessage = async ({ data }) => {
  const { handle, keys } = data as { handle: SharedCache["handle"]; keys: string[] };
  const cache = SharedCache.attach<string>(handle, { signal: new AbortController().signal });
  // Of many short pieces the median, on either side: whoever else uses the processor hits few of them.
  let next = 0;
  const reads = pieces(300, () => {
    for (let i = 0; i < 1_000; i++) cache.get(keys[next++ % keys.length]!);
  });
  const otherGet = median(reads.slice(100)) * 1e3;
  let resolve: (value: unknown) => void = () => {};
  self.onmessage = (event) => resolve(event.data);
  const ask = (key: string) =>
    new Promise((done) => {
      resolve = done;
      self.postMessage(key);
    });
  const messages: number[] = [];
  for (const key of keys.slice(0, 6_000)) {
    const start = performance.now();
    await ask(key);
    messages.push(performance.now() - start);
  }
  const message = median(messages.slice(1_000)) * 1e6;
  self.postMessage({ otherGet, message });
};

/** How long something took, time after time, in milliseconds. */
function pieces(count: number, what: () => void): number[] {
  return Array.from({ length: count }, () => {
    const start = performance.now();
    what();
    return performance.now() - start;
  });
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
