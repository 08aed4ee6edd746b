import { assert, assertEquals, assertThrows } from "@std/assert";
import { SharedCache } from "../../src/cache/shared_cache.ts";
import { liveWorkers } from "../../src/pool/live_workers.ts";
import { WorkerPool } from "../../src/pool/worker_pool.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { eventually, guardTests } from "../../src/testing/mod.ts";
import { fixture } from "../support/fixture.ts";

guardTests({ wait: 5_000 });

const options = { maxBytes: 2 ** 20, ttl: 10, codec: "string" } as const;

Deno.test("the sweeper works in a worker, and is gone when the owner aborts", async () => {
  const owner = new AbortController();
  const cache = new SharedCache<string>({ ...options, signal: owner.signal, sweepInterval: 20 });
  for (let i = 0; i < 100; i++) cache.set(`${i}`, "x");
  await eventually(() => assertEquals(cache.stats.expirations, 100), { timeout: 20_000 });
  const mine = async () =>
    (await liveWorkers()).filter(({ task }) => task.startsWith("sweep shared cache")).length;
  assert(await mine() > 0);
  owner.abort();
  await cache.finished;
});

Deno.test("a sweep that fails is followed by the next, in a scheduler of the user's", async () => {
  const owner = new AbortController();
  const { signal } = owner;
  let failures = 0;
  await using scheduler = new Scheduler({
    signal,
    onEvent: (event) => {
      if (event.type === "run-ended" && event.result.outcome === "failed") failures++;
    },
  });
  const cache = new SharedCache<string>({ ...options, signal, scheduler, sweepInterval: 20 });
  // The worker finds no cache there.
  const magic = new Int32Array(cache.handle.buffer, 0, 1);
  const [was] = magic;
  magic[0] = 0;
  cache.set("a", "x");
  await eventually(() => assert(failures > 0), { timeout: 20_000 });
  magic[0] = was!;
  await eventually(() => assertEquals(cache.stats.expirations, 1), { timeout: 20_000 });
  assertEquals(scheduler.tasks.length, 1);
  await cache.close();
  assertEquals(scheduler.tasks.length, 0);
});

Deno.test("a sweeper whose worker is killed has another one, and sweeps go on", async () => {
  const { Worker } = globalThis;
  const workers: Worker[] = [];
  globalThis.Worker = class extends Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      workers.push(this);
    }
  };
  try {
    await using cache = new SharedCache<string>({
      ...options,
      signal: new AbortController().signal,
      sweepInterval: 20,
    });
    for (let kill = 0; kill < 3; kill++) {
      cache.set("a", "x");
      await eventually(() => assertEquals(cache.stats.expirations, kill + 1), { timeout: 20_000 });
      assertEquals(workers.length, kill + 1);
      workers.at(-1)!.terminate();
      await eventually(() => assertEquals(workers.length, kill + 2), { timeout: 20_000 });
    }
  } finally {
    globalThis.Worker = Worker;
  }
});

Deno.test("a scheduler that was stopped is refused, and nothing is left behind", async () => {
  const { signal } = new AbortController();
  const scheduler = new Scheduler({ signal });
  await scheduler.close();
  assertThrows(
    () => new SharedCache({ ...options, signal, scheduler }),
    Error,
    "the scheduler has been stopped",
  );
});

Deno.test("a handle is an ordinary input, and the cache the same in a worker", async () => {
  await using cache = new SharedCache<string>({
    ...options,
    ttl: Infinity,
    signal: new AbortController().signal,
    sweepInterval: Infinity,
  });
  const { signal } = new AbortController();
  await using pool = new WorkerPool<typeof import("../fixtures/shared_increment.ts")>(
    fixture("shared_increment"),
    { signal, size: { max: 1 } },
  );
  cache.set("n", "41");
  for (let i = 0; i < 5; i++) await pool.run(cache.handle);
  assertEquals(cache.get("n"), "46");
  // One thread appends to one segment, however often it attaches.
  assertEquals(cache.stats.segments.open, 2);
});
