import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { isSharedCacheHandle } from "../../src/cache/shared_cache_handle.ts";
import { SharedCache } from "../../src/cache/shared_cache.ts";
import type { SharedCacheOptions } from "../../src/cache/shared_cache_options.ts";
import { WorkerPool } from "../../src/pool/worker_pool.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestSharedCache } from "../support/shared_cache.ts";

guardTests();

const signal = new AbortController().signal;

/** Attaches to a copy of a cache's buffer that was changed. */
function attachChanged(
  cache: SharedCache<string>,
  change: (words: Int32Array) => void,
  length = 0,
) {
  const buffer = new SharedArrayBuffer(cache.handle.buffer.byteLength + length);
  new Uint8Array(buffer).set(new Uint8Array(cache.handle.buffer).subarray(0, buffer.byteLength));
  const words = new Int32Array(buffer);
  // Another cache: this thread knows the first one already.
  words[7]! += 1;
  change(words);
  return SharedCache.attach({ leash: "shared cache", buffer }, { signal });
}

Deno.test("a handle is a plain value that can be cloned and recognised", async () => {
  await using test = new TestSharedCache();
  const copy = structuredClone(test.cache.handle);
  assert(isSharedCacheHandle(copy));
  assertEquals(isSharedCacheHandle({ leash: "shared cache", buffer: new ArrayBuffer(8) }), false);
  for (const other of [undefined, null, 1, "x", {}, []]) {
    assertEquals(isSharedCacheHandle(other), false);
  }
});

Deno.test("a handle is refused by isolation process, which shares no memory", async () => {
  await using test = new TestSharedCache();
  const { handle } = test.cache;
  await using pool = new WorkerPool("data:text/javascript,export default () => 1", {
    signal: test.owner.signal,
    isolation: "process",
  });
  const error = await assertRejects(() => pool.run({ handle }), TypeError, "Cannot send the input");
  assertStringIncludes(
    error.message,
    'input.handle.buffer is shared memory, which reaches no other process: use isolation "worker" or ' +
      '"thread" for it',
  );
});

Deno.test("attach() says what is wrong with a handle", async () => {
  await using test = new TestSharedCache();
  const { cache } = test;
  const attach = (handle: unknown) => SharedCache.attach(handle as typeof cache.handle, { signal });
  const why = "Cannot attach a SharedCache: expected ";
  assertThrows(() => attach({}), TypeError, `${why}the handle of one`);
  const buffer = (length: number) => ({
    leash: "shared cache",
    buffer: new SharedArrayBuffer(length),
  });
  assertThrows(() => attach(buffer(16)), TypeError, `${why}at least 384 bytes: received 16`);
  assertThrows(() => attach(buffer(4096)), TypeError, `${why}the buffer of a SharedCache`);
  assertThrows(
    () => attachChanged(cache, (words) => words[2] = 7),
    TypeError,
    `${why}version 1, that of this copy of Leash: received version 7`,
  );
  const { byteLength } = cache.handle.buffer;
  assertThrows(
    () => attachChanged(cache, () => {}, -4096),
    TypeError,
    `${why}${byteLength} bytes, by its header: received ${byteLength - 4096}`,
  );
  for (const [word, value] of [[3, 40], [4, -1], [4, 0], [5, 3], [5, -8]] as const) {
    assertThrows(
      () => attachChanged(cache, (words) => words[word] = value),
      TypeError,
      `${why}a header that makes sense`,
    );
  }
  assertThrows(
    () => attachChanged(cache, (words) => words[9] = 99),
    TypeError,
    "a codec and a ttl",
  );
  // deno-lint-ignore no-explicit-any -- what JavaScript users may forget
  assertThrows(() => SharedCache.attach(cache.handle, {} as any), TypeError, "an AbortSignal");
});

Deno.test("options that make no sense are refused with a reason", () => {
  const make = (options: Partial<Record<keyof SharedCacheOptions, unknown>>) => () =>
    new SharedCache(
      { signal, maxBytes: 2 ** 20, ttl: 1_000, sweepInterval: Infinity, ...options } as never,
    );
  const why = "Cannot make a SharedCache: expected ";
  assertThrows(make({ signal: undefined }), TypeError, `${why}an AbortSignal as signal`);
  assertThrows(make({ maxBytes: 1_000 }), RangeError, "from 65536 to 8589934592 as maxBytes");
  assertThrows(make({ maxBytes: NaN }), RangeError, "as maxBytes: received NaN");
  assertThrows(make({ codec: "yaml" }), TypeError, `${why}one of json, string, bytes as codec`);
  assertThrows(make({ segmentBytes: 5_000 }), RangeError, "a power of two as segmentBytes");
  assertThrows(make({ segmentBytes: 2 ** 18 }), RangeError, "four segments at least");
  assertThrows(make({ ttl: 0 }), RangeError, "Cannot use 0 as ttl");
  assertThrows(make({ scheduler: {} }), TypeError, `${why}a Scheduler as scheduler`);
  assertThrows(make({ sweepInterval: 0 }), RangeError, "sweepInterval");
});

Deno.test("keys and values beyond the limits are refused, and change nothing", async () => {
  await using test = new TestSharedCache({ maxBytes: 2 ** 20, segmentBytes: 2 ** 14 });
  const { cache } = test;
  cache.set("k", "v");
  const most = 2 ** 14 - 20;
  cache.set("big", "x".repeat(most - 3));
  assertEquals(cache.get("big")?.length, most - 3);
  assertThrows(
    () => cache.set("k", "x".repeat(most)),
    RangeError,
    `a key and a value of at most ${most} bytes together, as segments have that size: received 1 and`,
  );
  assertThrows(() => cache.set("k", "é".repeat(most / 2)), RangeError, "at most");
  assertThrows(() => cache.get("x".repeat(65_537)), RangeError, "received one of 65537 characters");
  assertThrows(() => cache.get("é".repeat(40_000)), RangeError, "of at most 65536 bytes");
  assertThrows(() => cache.get(new Uint8Array(65_537)), RangeError, "65537 bytes");
  assertThrows(() => cache.get(1 as never), TypeError, "a string or a Uint8Array as key");
  assertThrows(() => cache.set("k", 1 as never), TypeError, "expected a string, by its codec");
  assertThrows(() => cache.set("k", "v", { ttl: -1 }), RangeError, "as ttl");
  assertEquals(cache.get("k"), "v");
});
