import { createStore } from "../../src/cache/_shared_memory.ts";
import { layoutOf, planLayout } from "../../src/cache/_shared_layout.ts";
import { SharedStore } from "../../src/cache/_shared_store.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";

/** Ticks of 16 ms: the time of a shared cache, as its documentation has it. */
const tick = (milliseconds: number): number => Math.floor(milliseconds / 16);

/** What one thread has of a shared cache, with values as small numbers of a certain length. */
export class Participant {
  constructor(readonly store: SharedStore) {}

  set(key: string, value: number, length: number, ttl: number): void {
    this.store.seek(key);
    const bytes = new Uint8Array(length).fill(value);
    this.store.set(bytes, length, 0, ttl);
  }

  /** The value; `undefined` for none, and an error for one that is torn. */
  get(key: string): { value: number; length: number } | undefined {
    this.store.seek(key);
    if (!this.store.get()) return undefined;
    const { found, foundLength: length } = this.store;
    const value = found[0]!;
    for (let i = 0; i < length; i++) if (found[i] !== value) throw new Error(`torn: ${key}`);
    return { value, length };
  }

  delete(key: string): boolean {
    this.store.seek(key);
    return this.store.delete();
  }
}

/** Several participants of one cache in one thread, as if each were in a thread of its own. */
export function participants(
  count: number,
  options: { maxBytes: number; segmentShift?: number; buckets?: number },
): { parts: Participant[]; clock: FakeClock } {
  const clock = new FakeClock();
  const planned = planLayout(options.maxBytes, 64, options.segmentShift);
  const layout = options.buckets === undefined
    ? planned
    : layoutOf(planned.segmentShift, planned.segments, options.buckets);
  const first = createStore(layout, { codec: "bytes", ttl: 1_000 }, clock);
  const parts = [new Participant(first)];
  while (parts.length < count) {
    parts.push(new Participant(new SharedStore(first.memory.buffer, layout, clock)));
  }
  return { parts, clock };
}

/** A cache without limits. */
export class Model {
  readonly #entries = new Map<string, { value: number; length: number; expiry: number }>();

  set(key: string, value: number, length: number, ttl: number, now: number): void {
    const expiry = ttl === Infinity ? Infinity : tick(now) + Math.ceil(ttl / 16) + 1;
    this.#entries.set(key, { value, length, expiry });
  }

  get(key: string, now: number): { value: number; length: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiry <= tick(now)) return undefined;
    const { value, length } = entry;
    return { value, length };
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** How many entries live, and how many there are with those that have expired. */
  sizes(now: number): { living: number; all: number } {
    const living = [...this.#entries.keys()].filter((key) => this.get(key, now)).length;
    return { living, all: this.#entries.size };
  }
}
