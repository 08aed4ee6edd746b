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
  for (let i = 0; i < 50_000; i++) cache.get(keys[i % keys.length]!);
  let start = performance.now();
  for (let i = 0; i < 100_000; i++) cache.get(keys[i % keys.length]!);
  const otherGet = (performance.now() - start) * 10;
  let resolve: (value: unknown) => void = () => {};
  self.onmessage = (event) => resolve(event.data);
  const ask = (key: string) =>
    new Promise((done) => {
      resolve = done;
      self.postMessage(key);
    });
  for (let i = 0; i < 1_000; i++) await ask(keys[i]!);
  start = performance.now();
  for (let i = 0; i < 5_000; i++) await ask(keys[i]!);
  const message = (performance.now() - start) * 1e6 / 5_000;
  self.postMessage({ otherGet, message });
};
