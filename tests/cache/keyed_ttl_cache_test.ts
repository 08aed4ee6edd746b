import { assert, assertEquals } from "@std/assert";
import { KeyedTtlCache } from "../../src/cache/mod.ts";
import { FakeClock, guardTests } from "../../src/testing/mod.ts";

guardTests();

class HookEntry {
  constructor(readonly hook: string, readonly namespace: string, readonly name: string) {}
  get key(): string {
    return `${this.hook}: ${this.namespace}/${this.name}`;
  }
}

Deno.test("KeyedTtlCache finds an entry by the key that it carries", async () => {
  const clock = new FakeClock();
  const owner = new AbortController();
  await using cache = new KeyedTtlCache<HookEntry>({
    signal: owner.signal,
    ttl: { hours: 24 },
    clock,
  });
  const entry = new HookEntry("BeforeDelete", "default", "web");
  assertEquals(cache.has(entry.key), undefined);
  cache.add(entry);
  assert(cache.has("BeforeDelete: default/web") === entry);
  assertEquals(cache.len(), 1);

  clock.advance(20 * 3_600_000);
  cache.add(entry);
  clock.advance(24 * 3_600_000);
  assert(cache.has(entry.key) === entry, "a second add begins its life anew");
  clock.advance(1);
  assertEquals(cache.has(entry.key), undefined);

  cache.add(entry, { ttl: Infinity });
  cache.deleteAll();
  assertEquals([cache.len(), cache.has(entry.key)], [0, undefined]);
});

Deno.test("KeyedTtlCache counts expired entries that were not swept, and stays of use after its owner", async () => {
  const clock = new FakeClock();
  const owner = new AbortController();
  const cache = new KeyedTtlCache<{ key: number }>({ signal: owner.signal, ttl: 100, clock });
  cache.add({ key: 1 });
  clock.advance(101);
  assertEquals(cache.len(), 1);
  owner.abort();
  await cache.finished;
  assertEquals(clock.timers, 0);
  cache.add({ key: 2 });
  clock.advance(100);
  assertEquals([cache.has(1), cache.has(2)], [undefined, { key: 2 }]);
  clock.advance(1);
  assertEquals(cache.has(2), undefined);
});
