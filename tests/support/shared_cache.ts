import { SharedCache } from "../../src/cache/shared_cache.ts";
import type { SharedCacheOptions } from "../../src/cache/shared_cache_options.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";

/** A small shared cache with an owner and a clock of its own, which nobody sweeps but the test. */
export class TestSharedCache<Value = string> implements AsyncDisposable {
  readonly owner = new AbortController();
  readonly clock = new FakeClock();
  readonly cache: SharedCache<Value>;

  constructor(options: Partial<SharedCacheOptions> = {}) {
    this.cache = new SharedCache<Value>({
      signal: this.owner.signal,
      maxBytes: 256 * 1024,
      ttl: 1_000,
      codec: "string",
      sweepInterval: Infinity,
      clock: this.clock,
      ...options,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.owner.abort();
    await this.cache.finished;
  }
}
