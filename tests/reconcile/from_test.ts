import { assertEquals, assertRejects } from "@std/assert";
import { fromChanges } from "../../src/reconcile/from_changes.ts";
import { fromInterval } from "../../src/reconcile/from_interval.ts";
import { fromWatch } from "../../src/reconcile/from_watch.ts";
import type { Source } from "../../src/reconcile/source.ts";
import { eventually, FakeClock, guardTests } from "../../src/testing/mod.ts";

guardTests();

/** Runs a source until the test ends. */
class Run implements AsyncDisposable {
  readonly keys: string[] = [];
  readonly ended: Promise<void>;
  readonly #owner = new AbortController();

  constructor(source: Source) {
    this.ended = source.run({
      add: (key) => this.keys.push(key),
      synced: () => this.keys.push("(synced)"),
    }, this.#owner.signal);
    this.ended.catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#owner.abort();
    // Who expects it to fail has seen that.
    await this.ended.catch(() => {});
  }
}

Deno.test("fromWatch() takes iterables, async iterables, streams and functions", async () => {
  const keys = ["a", "b"];
  async function* generate() {
    yield* keys;
  }
  for (
    const input of [
      keys,
      generate(),
      generate,
      ReadableStream.from(keys),
      () => Promise.resolve(generate()),
    ]
  ) {
    await using run = new Run(fromWatch(input));
    await run.ended;
    assertEquals(run.keys, ["(synced)", "a", "b"]);
  }
});

Deno.test("fromWatch() lists when the watch is open, and loses nothing between", async () => {
  const log: string[] = [];
  const source = fromWatch(
    async function* () {
      log.push("open");
      yield "during the list";
    },
    {
      list: () => {
        log.push("list");
        return ["there"];
      },
    },
  );
  await using run = new Run(source);
  await run.ended;
  assertEquals(log, ["open", "list"]);
  assertEquals(run.keys, ["there", "(synced)", "during the list"]);
});

Deno.test("fromWatch() maps each event to its keys, once each, if it counts", async () => {
  const events = [{ keys: ["a", "b", "a"] }, { keys: ["c"], skip: true }, { keys: ["a"] }];
  await using run = new Run(
    fromWatch(events, { keys: ({ keys }) => keys, where: ({ skip }) => skip !== true }),
  );
  await run.ended;
  assertEquals(run.keys, ["(synced)", "a", "b", "a"]);
});

Deno.test("fromChanges() adds the keys of how it was and how it is, once each", async () => {
  const changes = [
    { after: { of: "a" } },
    { before: { of: "a" }, after: { of: "b" } },
    { before: { of: "b" }, after: { of: "b" } },
    { before: { of: "b" } },
  ];
  await using run = new Run(fromChanges(changes, { keys: ({ of }) => of }));
  await run.ended;
  assertEquals(run.keys, ["(synced)", "a", "a", "b", "b", "b"]);
});

Deno.test("fromWatch() says which event it cannot use", async () => {
  await using run = new Run(fromWatch<unknown>([1], { name: "numbers" }) as Source);
  await assertRejects(
    () => run.ended,
    TypeError,
    'Cannot use an event of source "numbers": expected a string, or the option keys: received 1',
  );
});

Deno.test("fromWatch() leaves what never answers, and cancels a stream", async () => {
  let cancelled = false;
  let signal: AbortSignal | undefined;
  const stream = new ReadableStream<string>({ cancel: () => void (cancelled = true) });
  {
    await using first = new Run(fromWatch((given) => {
      signal = given;
      return { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    }));
    await using second = new Run(fromWatch(stream));
    await eventually(() => assertEquals([first.keys.length, second.keys.length], [1, 1]));
  }
  assertEquals([signal?.aborted, cancelled], [true, true]);
});

Deno.test("fromWatch() closes what it has opened when the list fails", async () => {
  let closed: AbortSignal | undefined;
  await using run = new Run(
    fromWatch((signal) => {
      closed = signal;
      return { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    }, { list: () => Promise.reject(new Error("no list")) }),
  );
  await assertRejects(() => run.ended, Error, "no list");
  assertEquals(closed?.aborted, true);
});

Deno.test("fromInterval() lists at once, and again so long after the end of the last list", async () => {
  const clock = new FakeClock();
  let lists = 0;
  await using run = new Run(fromInterval({ minutes: 1 }, () => [`${++lists}`], { clock }));
  await eventually(() => assertEquals(clock.timers, 1));
  assertEquals(run.keys, ["1", "(synced)"]);
  clock.advance(59_999);
  assertEquals(lists, 1);
  clock.advance(1);
  await eventually(() => assertEquals(run.keys.slice(2), ["2", "(synced)"]));
});

for (const kind of ["generator", "stream"]) {
  Deno.test(`fromWatch() does not end in silence when a ${kind} cannot be read again`, async () => {
    const events = ["a", "bad", "b"];
    const input = kind === "stream" ? ReadableStream.from(events) : (async function* () {
      yield* events;
    })();
    const source = fromWatch(input, {
      keys: (event) => {
        if (event === "bad") throw new Error("no key");
        return event;
      },
    });
    await using first = new Run(source);
    await assertRejects(() => first.ended, Error, "no key");
    await using second = new Run(source);
    await assertRejects(() => second.ended, TypeError, "give a function that opens it");
  });
}

Deno.test("fromWatch() lets others have their turn, however much there is to read", async () => {
  let isOver = false;
  const others = new Promise<void>((resolve) => setTimeout(resolve, 0));
  await using run = new Run(fromWatch(async function* () {
    while (!isOver) yield "a";
  }));
  await others;
  isOver = true;
  await run.ended;
});
