import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@4";
import { type RemovalCause, TtlCache } from "../../src/cache/mod.ts";
import { FakeClock } from "../../src/testing/mod.ts";

interface Entry {
  key: number;
  value: number;
  until: number;
  ttl: number;
}

type Removal = [key: number, value: number, cause: RemovalCause];

/** The same by plain means: a list from the least to the most recently used. */
class Model {
  entries: Entry[] = [];
  removed: Removal[] = [];
  now = 0;

  constructor(readonly maxSize: number, readonly updateOnGet: boolean) {}

  find(key: number): Entry | undefined {
    return this.entries.find((entry) => entry.key === key);
  }

  live(): Entry[] {
    return this.entries.filter(({ until }) => until >= this.now);
  }

  remove(entry: Entry, cause: RemovalCause): void {
    this.entries = this.entries.filter((each) => each !== entry);
    this.removed.push([entry.key, entry.value, entry.until < this.now ? "expired" : cause]);
  }

  set(key: number, value: number, ttl: number): void {
    const old = this.find(key);
    if (old !== undefined) this.remove(old, "replaced");
    else if (this.entries.length === this.maxSize) this.remove(this.entries[0]!, "evicted");
    this.entries.push({ key, value, ttl, until: this.now + ttl });
  }

  get(key: number): number | undefined {
    const entry = this.find(key);
    if (entry === undefined) return undefined;
    if (entry.until < this.now) return void this.remove(entry, "expired");
    if (this.updateOnGet) entry.until = this.now + entry.ttl;
    this.entries = [...this.entries.filter((each) => each !== entry), entry];
    return entry.value;
  }

  delete(key: number): boolean {
    const entry = this.find(key);
    if (entry === undefined) return false;
    const isAlive = entry.until >= this.now;
    this.remove(entry, "deleted");
    return isAlive;
  }

  sweep(): void {
    for (const entry of this.entries) if (entry.until < this.now) this.remove(entry, "expired");
  }
}

// More than the capacity that a cache begins with.
const key = fc.nat(50);
const step = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(fc.constant("set"), key, fc.constantFrom(1, 20, 80, Infinity)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("get"), key, fc.constant(0)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("delete"), key, fc.constant(0)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("advance"), fc.nat(6), fc.constant(0)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("sweep"), key, fc.constant(0)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("jump"), key, fc.constant(0)) },
);
const rare = fc.tuple(fc.constant("clear"), key, fc.constant(0));

/** Sorted: what a sweep or a clear removes together has no order. */
const sorted = (removals: Removal[]) => removals.map(String).sort();

Deno.test("TtlCache does what a plain list does, whatever is asked of it", async () => {
  const { signal } = new AbortController();
  const steps = fc.array(
    fc.oneof({ weight: 40, arbitrary: step }, { weight: 1, arbitrary: rare }),
    {
      maxLength: 200,
    },
  );
  const property = fc.asyncProperty(
    steps,
    fc.constantFrom(1, 3, 30, Infinity),
    fc.boolean(),
    async (steps, maxSize, updateOnGet) => {
      const clock = new FakeClock();
      const removed: Removal[] = [];
      const sweepInterval = 1e6;
      await using cache = new TtlCache<number, number>({
        signal,
        ttl: 10,
        clock,
        sweepInterval,
        updateOnGet,
        ...maxSize !== Infinity && { maxSize },
        onRemove: (...removal) => void removed.push(removal),
      });
      const model = new Model(maxSize, updateOnGet);
      let value = 0;
      for (const [name, key, ttl] of steps) {
        if (name === "set") {
          cache.set(key, ++value, { ttl });
          model.set(key, value, ttl);
        } else if (name === "get") assertEquals(cache.get(key), model.get(key));
        else if (name === "delete") assertEquals(cache.delete(key), model.delete(key));
        else if (name === "jump") clock.setNow(key * 1e9);
        else if (name === "clear") {
          cache.clear();
          for (const entry of model.entries) model.remove(entry, "cleared");
        } else {
          const by = name === "sweep" ? sweepInterval : key;
          const timers = clock.timers;
          clock.advance(by);
          model.now = clock.monotonic();
          if (name === "sweep" && timers > 0) model.sweep();
        }
        const live = model.live();
        assertEquals([...cache].sort(), live.map(({ key, value }) => [key, value]).sort());
        assertEquals([cache.size, cache.sizeWithExpired], [live.length, model.entries.length]);
        for (const { key, until } of live) assertEquals(cache.ttlOf(key), until - model.now);
        assertEquals(sorted(removed.splice(0)), sorted(model.removed.splice(0)));
      }
    },
  );
  await fc.assert(property, { numRuns: 300 });
});
