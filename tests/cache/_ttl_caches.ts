import type { RemovalCause, TtlCacheOptions } from "../../src/cache/mod.ts";
import { TtlCache } from "../../src/cache/mod.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";

/** A cache of numbers with an owner of its own, a fake clock, and what `onRemove` was told. */
export class TestCache extends TtlCache<string, number> {
  readonly owner: AbortController;
  readonly time: FakeClock;
  readonly removed: [string, number, RemovalCause][];

  constructor(options: Partial<TtlCacheOptions<string, number>> = {}) {
    const owner = new AbortController();
    const time = new FakeClock();
    const removed: [string, number, RemovalCause][] = [];
    super({
      signal: owner.signal,
      ttl: 1_000,
      clock: time,
      sweepInterval: Infinity,
      onRemove: (...removal) => void removed.push(removal),
      ...options,
    });
    this.owner = owner;
    this.time = time;
    this.removed = removed;
  }
}

/** Stops the computer's own monotonic clock, and counts who looks at it, until it is disposed. */
export class StoppedTime implements Disposable {
  readonly #original = performance.now;
  /** What the clock says, in milliseconds. */
  now = performance.now();
  /** How often it was asked. */
  looks = 0;

  constructor() {
    performance.now = () => {
      this.looks++;
      return this.now;
    };
  }

  [Symbol.dispose](): void {
    performance.now = this.#original;
  }
}
