import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { ClosedError, QueueFullError, TaskLoadError } from "../../src/base/errors.ts";
import type { WorkerEvent } from "../../src/pool/events.ts";
import { WorkerPool } from "../../src/pool/worker_pool.ts";
import type { WorkerPoolOptions } from "../../src/pool/worker_pool_options.ts";
import { consistently, guardTests } from "../../src/testing/mod.ts";
import { EventLog } from "../support/event_log.ts";
import { fixture } from "../support/fixture.ts";

guardTests();

type Many = typeof import("../fixtures/many.ts");

function make(
  options: Partial<WorkerPoolOptions> = {},
): { pool: WorkerPool<Many>; owner: AbortController; log: EventLog<WorkerEvent> } {
  const owner = new AbortController();
  const log = new EventLog<WorkerEvent>();
  const pool = new WorkerPool<Many>(fixture("many"), {
    signal: owner.signal,
    size: { max: 2 },
    // What can be ended is, but a busy machine takes its time. Tests of what cannot say less.
    killTimeout: 60_000,
    onEvent: log.sink,
    ...options,
  });
  return { pool, owner, log };
}

/** Begins a run of an export, and waits until the task itself has said that it runs. */
async function begun<Output>(
  run: (onProgress: () => void) => Promise<Output>,
): Promise<{ settled: Promise<Output> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const settled = run(resolve);
  settled.catch(() => {});
  await promise;
  return { settled };
}

Deno.test("the types of the module are those of the pool", async () => {
  await using pool = make().pool;
  const value: number = await pool.run(1);
  assertEquals(value, 1);
  const stopped: Promise<string> = pool.call("wait", undefined, { timeout: 1 });
  await assertRejects(() => stopped, DOMException, "did not end within its timeout");
  // @ts-expect-error: no text.
  assertEquals(await pool.run("1"), "1");
  // @ts-expect-error: no such export.
  await assertRejects(() => pool.call("nope", 1), TypeError, "Cannot call nope: expected one of");
  const call = pool.call.bind(pool) as (name: string, input: unknown) => Promise<unknown>;
  // The types refuse it, JavaScript does not.
  await assertRejects(
    () => call("notAFunction", 1),
    TypeError,
    "default, grow, ignore, later",
  );
  // @ts-expect-error: `signal` is required.
  assertThrows(() => new WorkerPool(fixture("many"), {}), TypeError, "expected an AbortSignal");
});

Deno.test("20,000 runs at once: each gets its own result, with few messages", async () => {
  const { pool: made, log } = make();
  await using pool = made;
  for (const call of ["default", "later"] as const) {
    const results = await Promise.all(
      Array.from(
        { length: 20_000 },
        (_, index) => call === "default" ? pool.run(index) : pool.call("later", index),
      ),
    );
    assertEquals(results, results.map((_, index) => index));
  }
  assertEquals(log.all("worker-spawned").length, 2);
  assertEquals([pool.queued, pool.running], [0, 0]);
});

Deno.test("failures and results that cannot be cloned, in the middle of many, hit only their own", async () => {
  await using pool = make().pool;
  const settled = await Promise.allSettled(
    Array.from({ length: 2_000 }, (_, index) => pool.call("mixed", index)),
  );
  for (const [index, end] of settled.entries()) {
    if (index % 2 === 1) {
      assert(end.status === "rejected" && end.reason.message === `${index} is odd`);
    } else if (index % 10 === 0) {
      assert(end.status === "rejected" && end.reason.message.includes("cannot be cloned"));
    } else {
      assert(end.status === "fulfilled" && end.value === index);
    }
  }
});

Deno.test("one input that cannot be cloned spoils nothing for its neighbours", async () => {
  await using pool = make().pool;
  await pool.run(0);
  const runs = [1, (() => {}) as unknown as number, 3].map((input) => pool.run(input));
  for (const run of runs) run.catch(() => {});
  assertEquals(await runs[0], 1);
  await assertRejects(() => runs[1]!, TypeError, "input of task");
  assertEquals(await runs[2], 3);
});

Deno.test("abort before, while it waits, and while it runs: the caller's reason, nothing else hurt", async () => {
  const { pool: made } = make({ size: { max: 1 } });
  await using pool = made;
  const reason = new Error("changed my mind");
  const before = await assertRejects(() => pool.run(1, { signal: AbortSignal.abort(reason) }));
  assertStrictEquals(before, reason);

  const running = new AbortController();
  const first = await begun((onProgress) =>
    pool.call("wait", undefined, { signal: running.signal, onProgress })
  );
  const waiting = new AbortController();
  const second = pool.run(2, { signal: waiting.signal });
  const third = pool.run(3);
  waiting.abort(reason);
  assertStrictEquals(await assertRejects(() => second), reason);
  running.abort(reason);
  assertStrictEquals(await assertRejects(() => first.settled), reason);
  assertEquals(await third, 3);
});

Deno.test("a killed run takes its worker along, and what had not begun is run elsewhere, once", async () => {
  const { pool: made, log } = make({ size: { max: 1 }, killTimeout: 300 });
  await using pool = made;
  const memory = new SharedArrayBuffer(4 * 400);
  // So many small runs that the pool sends them ahead.
  await Promise.all(Array.from({ length: 3_000 }, (_, index) => pool.run(index)));
  const abort = new AbortController();
  const spin = await begun((onProgress) =>
    pool.call("countOrSpin", { memory, index: 0 }, {
      signal: abort.signal,
      gracePeriod: 0,
      onProgress,
    })
  );
  const others = Array.from(
    { length: 300 },
    (_, index) => pool.call("countOrSpin", { memory, index: index + 2 }),
  );
  abort.abort(new Error("enough"));
  await assertRejects(() => spin.settled, Error, "enough");
  assertEquals(await Promise.all(others), Array(300).fill(1));
  Atomics.store(new Int32Array(memory), 1, 1);
  // The worker that was given up lives again, and must not run what is not its own any more.
  await log.until("worker-exited");
  assertEquals([...new Int32Array(memory)].slice(0, 302), [1, 1, ...Array(300).fill(1)]);
});

Deno.test("what waits in a worker that does not get to it goes to one that is free", async () => {
  await using pool = make().pool;
  const memory = new SharedArrayBuffer(4 * 400);
  const warm = Array.from({ length: 3_000 }, (_, index) => pool.run(index));
  await Promise.all(warm);
  // They are asked for in one turn, so they are dealt out before anything of them has begun.
  const spin = pool.call("countOrSpin", { memory, index: 0 });
  const others = Array.from(
    { length: 300 },
    (_, index) => pool.call("countOrSpin", { memory, index: index + 2 }),
  );
  assertEquals(await Promise.all(others), Array(300).fill(1));
  Atomics.store(new Int32Array(memory), 1, 1);
  assertEquals(await spin, 1);
  assertEquals([...new Int32Array(memory)].slice(2, 302), Array(300).fill(1));
  assertEquals(await pool.run(7), 7);
});

Deno.test("several runs at once in one worker: a kill rejects those that had begun beside it", async () => {
  const { pool: made } = make({ size: { max: 1 }, concurrencyPerWorker: 3 });
  await using pool = made;
  const abort = new AbortController();
  const stubborn = await begun((onProgress) =>
    pool.call("ignore", undefined, { signal: abort.signal, gracePeriod: 0, onProgress })
  );
  const beside = await begun((onProgress) => pool.call("wait", undefined, { onProgress }));
  const third = await begun((onProgress) => pool.call("wait", undefined, { onProgress }));
  const waits = pool.run(4);
  assertEquals(pool.workers.length, 1);
  abort.abort(new Error("stop"));
  await assertRejects(() => stubborn.settled, Error, "stop");
  for (const { settled } of [beside, third]) {
    await assertRejects(() => settled, Error, "another run in it did not stop");
  }
  assertEquals(await waits, 4);
});

Deno.test("several runs at once in one worker: the abort of one that obeys touches no other", async () => {
  const { pool: made, log } = make({ size: { max: 1 }, concurrencyPerWorker: 2 });
  await using pool = made;
  const abort = new AbortController();
  const obeys = await begun((onProgress) =>
    pool.call("wait", undefined, { signal: abort.signal, onProgress })
  );
  const other = new AbortController();
  const goesOn = await begun((onProgress) =>
    pool.call("wait", undefined, { signal: other.signal, onProgress })
  );
  abort.abort(new Error("first"));
  await assertRejects(() => obeys.settled, Error, "first");
  other.abort(new Error("second"));
  await assertRejects(() => goesOn.settled, Error, "second");
  assertEquals(log.all("worker-exited"), []);
});

Deno.test("the queue is bounded when asked for: QueueFullError, and ready() waits for room", async () => {
  const { pool: made } = make({ size: { max: 1 }, maxQueue: 2 });
  await using pool = made;
  const abort = new AbortController();
  const { signal } = abort;
  const runs = [1, 2, 3].map(() => pool.call("wait", undefined, { signal }));
  for (const run of runs) run.catch(() => {});
  const error = await assertRejects(() => pool.run(4), QueueFullError, "2 runs wait already");
  assertEquals(error.maxQueue, 2);
  const ready = pool.ready();
  abort.abort(new Error("over"));
  await ready;
  assertEquals(await pool.run(5), 5);
});

Deno.test("a run of larger priority comes first", async () => {
  const { pool: made } = make({ size: { max: 1 } });
  await using pool = made;
  const abort = new AbortController();
  const first = await begun((onProgress) =>
    pool.call("wait", undefined, { signal: abort.signal, onProgress })
  );
  const order: string[] = [];
  const low = pool.call("timer", 1).then(() => order.push("low"));
  const high = pool.call("timer", 2, { priority: 5 }).then(() => order.push("high"));
  abort.abort();
  await assertRejects(() => first.settled);
  await Promise.all([low, high]);
  assertEquals(order, ["high", "low"]);
});

Deno.test("map: in order or as they come, no more at once than asked for, inputs read as needed", async () => {
  await using pool = make().pool;
  let read = 0;
  function* inputs(): Generator<number> {
    for (let input = 0; input < 100; input++) {
      read++;
      yield input;
    }
  }
  const results: number[] = [];
  for await (const result of pool.map(inputs(), { concurrency: 4 })) {
    results.push(result);
    assert(read <= results.length + 4, `${read} were read for ${results.length} results`);
  }
  assertEquals(results, Array.from({ length: 100 }, (_, index) => index));

  const unordered = await Array.fromAsync(pool.map(inputs(), { ordered: false }));
  assertEquals(unordered.toSorted((a, b) => a - b), results);
  assertEquals(await Array.fromAsync(pool.map([])), []);
  assertThrows(() => pool.map([], { concurrency: 0 }), RangeError, "received 0");
});

Deno.test("map: leaving the loop, a failure and an abort end what is under way", async () => {
  await using pool = make().pool;
  let ended = false;
  async function* inputs(): AsyncGenerator<number> {
    try {
      for (let input = 0;; input++) yield input;
    } finally {
      ended = true;
    }
  }
  for await (const result of pool.map(inputs())) if (result === 5) break;
  assert(ended);
  assertEquals([pool.queued, pool.running], [0, 0]);

  const bad = [1, 2, (() => {}) as unknown as number, 4];
  await assertRejects(() => Array.fromAsync(pool.map(bad)), TypeError, "cannot be cloned");
  assertEquals([pool.queued, pool.running], [0, 0]);

  const abort = new AbortController();
  const reason = new Error("stop");
  await assertRejects(
    async () => {
      for await (const result of pool.map(inputs(), { signal: abort.signal })) {
        if (result === 3) abort.abort(reason);
      }
    },
    Error,
    "stop",
  );
});

Deno.test("transfer moves, and copies nothing", async () => {
  await using pool = make().pool;
  const buffer = new ArrayBuffer(1_000_000);
  assertEquals(await pool.call("length", buffer, { transfer: [buffer] }), 1_000_000);
  assertEquals(buffer.byteLength, 0);
});

Deno.test("what is moved to a worker never waits behind another run, and is never sent twice", async () => {
  await using pool = make().pool;
  await Promise.all(Array.from({ length: 3_000 }, (_, index) => pool.run(index)));
  const memory = new SharedArrayBuffer(16);
  const spin = pool.call("countOrSpin", { memory, index: 0 });
  const lengths = await Promise.all(Array.from({ length: 100 }, (_, index) => {
    const buffer = new ArrayBuffer(index);
    return pool.call("length", buffer, { transfer: [buffer] });
  }));
  assertEquals(lengths, lengths.map((_, index) => index));
  Atomics.store(new Int32Array(memory), 1, 1);
  await spin;
});

Deno.test("the abort of the owner rejects every run with its reason, and nothing is left", async () => {
  const { pool, owner, log } = make();
  const runs = Array.from({ length: 500 }, (_, index) => pool.call("timer", index));
  const ends = Promise.allSettled(runs);
  await log.until("worker-ready");
  const reason = new Error("shutdown");
  owner.abort(reason);
  await pool.finished;
  for (const end of await ends) {
    assert(end.status === "fulfilled" || end.reason === reason);
  }
  assertEquals(pool.workers, []);
  const error = await assertRejects(() => pool.run(1), ClosedError, "has been stopped");
  assertStrictEquals(error.cause, reason);
  await assertRejects(() => pool.ready(), ClosedError);
  await pool.drained();
  await pool.close();
});

Deno.test("drained() waits for all, and then closing rejects nothing", async () => {
  const { pool } = make();
  const runs = Array.from({ length: 50 }, (_, index) => pool.call("timer", index));
  await pool.drained();
  await pool.close();
  assertEquals(await Promise.all(runs), runs.map((_, index) => index));
});

Deno.test("size.min workers are there from the start and stay", async () => {
  const { pool: made, log } = make({ size: { min: 2, max: 3 }, idleTimeout: 1 });
  await using pool = made;
  await log.until("worker-ready", 2);
  await Promise.all([1, 2, 3].map(() => pool.call("timer", 1)));
  await log.until("worker-exited", log.all("worker-spawned").length - 2 || 0).catch(() => {});
  assertEquals(pool.workers.length >= 2, true);
});

Deno.test("a module that cannot be loaded rejects each run, and spawns no storm", async () => {
  const owner = new AbortController();
  const log = new EventLog<WorkerEvent>();
  await using pool = new WorkerPool(fixture("no_such_module"), {
    signal: owner.signal,
    size: { min: 1, max: 2 },
    onEvent: log.sink,
  });
  for (const end of await Promise.allSettled([1, 2, 3].map((input) => pool.run(input)))) {
    assert(end.status === "rejected");
    assertInstanceOf(end.reason, TaskLoadError);
  }
  assert(log.all("worker-spawned").length <= 4);
});

Deno.test("a worker whose heap has grown is replaced when it is free", async () => {
  const { pool: made, log } = make({ size: { max: 1 }, maxWorkerHeap: 40e6 });
  await using pool = made;
  assertEquals(await pool.call("grow", 8_000), 1);
  assertEquals(await pool.call("grow", 60e6), 2);
  assertEquals((await log.until("worker-exited")).end, "recycled");
  assertEquals(await pool.call("grow", 8_000), 1);
});

Deno.test("a worker that shows no sign of life is reported, and killed if asked", async () => {
  for (const onHang of ["report", "kill"] as const) {
    const { pool: made, log } = make({
      size: { max: 1 },
      heartbeatTimeout: 500,
      onHang,
      killTimeout: 300,
    });
    await using pool = made;
    // So that it is silent because of its loop, and not while it starts.
    await pool.run(1);
    const memory = new SharedArrayBuffer(16);
    const spin = pool.call("countOrSpin", { memory, index: 0 });
    spin.catch(() => {});
    const { silentFor } = await log.until("worker-hung");
    assert(silentFor >= 500);
    if (onHang === "kill") await assertRejects(() => spin, Error, "its event loop was silent for");
    // Once, however long it lasts.
    await consistently(() => assertEquals(log.all("worker-hung").length, 1), { duration: 500 });
    Atomics.store(new Int32Array(memory), 1, 1);
    if (onHang === "report") assertEquals(await spin, 1);
    await log.until(onHang === "kill" ? "worker-exited" : "worker-ready");
  }
});

Deno.test("a worker that waits for something, and one that only computes with checkpoints, do not hang", async () => {
  let hung: WorkerEvent[] = [];
  // A machine that has no time for a thread makes it silent as well, so what seems to hang gets more time.
  for (const heartbeatTimeout of [60, 600, 6_000]) {
    const { pool: made, log } = make({ heartbeatTimeout });
    await using pool = made;
    const abort = new AbortController();
    const waits = await begun((onProgress) =>
      pool.call("wait", undefined, { signal: abort.signal, onProgress })
    );
    await Array.fromAsync(pool.map(Array(100).fill(1), { concurrency: 1 }));
    const end = performance.now() + 3 * heartbeatTimeout;
    while (performance.now() < end) await pool.call("timer", 1);
    abort.abort();
    await assertRejects(() => waits.settled);
    hung = log.all("worker-hung");
    if (hung.length === 0) break;
  }
  assertEquals(hung, []);
});

Deno.test("wrong options are one error that says what was expected and received", () => {
  const { signal } = new AbortController();
  const cases: [options: Record<string, unknown>, message: string][] = [
    [{ size: { max: 0 } }, "from 1 to"],
    [{ size: { max: 1e6 } }, "as size.max: received 1000000"],
    [{ size: { min: 3, max: 2 } }, "from 0 to 2 as size.min: received 3"],
    [{ concurrencyPerWorker: 1.5 }, "as concurrencyPerWorker: received 1.5"],
    [{ maxQueue: -1 }, "as maxQueue: received -1"],
    [{ onHang: "ignore" }, 'expected "report" or "kill" as onHang'],
    [{ heartbeatTimeout: 1 }, "at least 20 ms"],
    [{ isolation: "cloud" }, "as isolation"],
    [{ permissions: { raed: true } }, "received raed"],
    [{ gracePeriod: "5s" }, 'Cannot use "5s" as gracePeriod'],
  ];
  for (const [options, message] of cases) {
    assertThrows(
      () => new WorkerPool(fixture("many"), { signal, ...options } as WorkerPoolOptions),
      Error,
      message,
    );
  }
  assertThrows(() => new WorkerPool("./many.ts", { signal }), TypeError, 'received "./many.ts"');
});
