import type { Clock } from "../base/clock.ts";
import { show } from "../base/show.ts";
import { CODECS } from "./_shared_codec.ts";
import {
  BASE,
  BUCKETS,
  CLOCK_KIND,
  CODEC,
  ID,
  type Layout,
  LAYOUT_VERSION,
  layoutOf,
  LEASES,
  MAGIC,
  MAGIC_WORDS,
  SECRET,
  SEGMENT_SHIFT,
  SEGMENTS,
  TTL,
  VERSION,
} from "./_shared_layout.ts";
import { SharedStore } from "./_shared_store.ts";
import { GIVEN_TIME, REAL_TIME } from "./_shared_time.ts";
import { isSharedCacheHandle, type SharedCacheHandle } from "./shared_cache_handle.ts";

/** What all who share a cache agree on. */
export interface SharedSettings {
  readonly codec: typeof CODECS[number];
  /** Milliseconds, or `Infinity`. */
  readonly ttl: number;
}

/**
 * The stores of this thread. Runs of a task that attach to the same cache one after the other append to
 * the same segments, where a new store each time would begin new ones.
 */
const stores = new Map<string, WeakRef<SharedStore>>();
const forget = new FinalizationRegistry<string>((id) => {
  if (stores.get(id)?.deref() === undefined) stores.delete(id);
});

/** Makes the memory of a new cache. */
export function createStore(
  layout: Layout,
  settings: SharedSettings,
  clock: Clock | undefined,
): SharedStore {
  const buffer = new SharedArrayBuffer(layout.byteLength);
  const words = new Int32Array(buffer, 0, LEASES);
  const floats = new Float64Array(buffer, 0, LEASES / 2);
  words[VERSION] = LAYOUT_VERSION;
  words[SEGMENT_SHIFT] = layout.segmentShift;
  words[SEGMENTS] = layout.segments;
  words[BUCKETS] = layout.buckets;
  words[CODEC] = CODECS.indexOf(settings.codec);
  words[CLOCK_KIND] = clock === undefined ? REAL_TIME : GIVEN_TIME;
  floats[TTL / 2] = settings.ttl;
  floats[BASE / 2] = performance.timeOrigin + performance.now();
  const random = crypto.getRandomValues(new Int32Array(3));
  words.set(random, SECRET);
  words.set(MAGIC_WORDS, MAGIC);
  return remember(idOf(words), new SharedStore(buffer, layout, clock));
}

/** The store of this thread for a handle. */
export function openStore(handle: SharedCacheHandle): SharedStore {
  if (!isSharedCacheHandle(handle)) {
    throw new TypeError(
      `Cannot attach a SharedCache: expected the handle of one, as \`cache.handle\` gives: received ${
        show(handle)
      }`,
    );
  }
  const layout = readLayout(handle.buffer);
  const id = idOf(new Int32Array(handle.buffer, 0, LEASES));
  const known = stores.get(id)?.deref();
  return known ?? remember(id, new SharedStore(handle.buffer, layout, undefined));
}

/** What was agreed on when the cache was made. */
export function settingsOf({ memory }: SharedStore): SharedSettings {
  const codec = CODECS[memory.words[CODEC]!];
  const ttl = memory.floats[TTL / 2]!;
  if (codec === undefined || !(ttl >= 1)) throw broken(`a codec and a ttl`, `${codec}, ${ttl}`);
  return { codec, ttl };
}

/** The name of a cache, unique in this process. */
export function nameOf({ memory }: SharedStore): string {
  return idOf(memory.words);
}

function readLayout(buffer: SharedArrayBuffer): Layout {
  if (buffer.byteLength < LEASES * 4) {
    throw broken(`at least ${LEASES * 4} bytes`, `${buffer.byteLength}`);
  }
  const words = new Int32Array(buffer, 0, LEASES);
  if (MAGIC_WORDS.some((word, i) => words[MAGIC + i] !== word)) {
    throw broken("the buffer of a SharedCache", "a buffer of something else");
  }
  if (words[VERSION] !== LAYOUT_VERSION) {
    throw broken(
      `version ${LAYOUT_VERSION}, that of this copy of Leash`,
      `version ${words[VERSION]}, made by another one`,
    );
  }
  const [shift, segments, buckets] = [words[SEGMENT_SHIFT]!, words[SEGMENTS]!, words[BUCKETS]!];
  const isSound = shift >= 10 && shift <= 19 && segments > 0 && buckets >= 2 &&
    Number.isInteger(Math.log2(buckets));
  const layout = layoutOf(shift, segments, buckets);
  if (isSound && layout.byteLength === buffer.byteLength) return layout;
  throw broken(
    isSound ? `${layout.byteLength} bytes, by its header` : "a header that makes sense",
    isSound ? `${buffer.byteLength}` : `${shift}, ${segments}, ${buckets}`,
  );
}

function broken(expected: string, received: string): TypeError {
  return new TypeError(`Cannot attach a SharedCache: expected ${expected}: received ${received}`);
}

function idOf(words: Int32Array): string {
  return [words[ID]!, words[ID + 1]!].map((word) => (word >>> 0).toString(16).padStart(8, "0"))
    .join("");
}

function remember(id: string, store: SharedStore): SharedStore {
  stores.set(id, new WeakRef(store));
  forget.register(store, id);
  return store;
}
