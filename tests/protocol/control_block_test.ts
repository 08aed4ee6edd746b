import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { ControlBlock } from "../../src/protocol/control_block.ts";
import { encodeThrown } from "../../src/protocol/error_codec.ts";

/** Both sides of one memory. */
function pair(): { parent: ControlBlock; worker: ControlBlock } {
  const parent = new ControlBlock();
  return { parent, worker: new ControlBlock(parent.buffer) };
}

/** What the worker reads when a run is aborted for the given reason. */
function abortFor(reason: unknown): unknown {
  const { parent, worker } = pair();
  parent.abortRun(1, encodeThrown(reason));
  assert(worker.mustStop(1));
  return worker.reasonFor(1);
}

Deno.test("ControlBlock stops nothing before it is told to", () => {
  const { worker } = pair();
  for (const sequence of [1, 2, 2 ** 31 - 1]) assert(!worker.mustStop(sequence));
});

Deno.test("ControlBlock aborts the run that is meant and no other", () => {
  const { parent, worker } = pair();
  parent.abortRun(3, encodeThrown("third"));
  const stopped = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index)
      .filter((each) => worker.mustStop(each));
  assertEquals(stopped(1, 1_000), [3]);
  assertEquals(worker.reasonFor(3), "third");
  parent.abortRun(1, encodeThrown("first"));
  assertEquals(stopped(1, 1_000), [1, 3]);
  assertEquals(worker.reasonFor(1), "first");
  // There is room for one reason only; the message brings the other one.
  assertInstanceOf(worker.reasonFor(3), DOMException);
});

Deno.test("ControlBlock lets a run begin, unless it was recalled, aborted or stopped before", () => {
  const { parent, worker } = pair();
  assert(worker.begin(1));
  assertEquals(parent.begun, 1);
  assertEquals(parent.recall(3), 1);
  assert(worker.begin(2));
  assert(!worker.begin(3));
  assert(!worker.begin(300));
  parent.endRecall();
  assert(worker.begin(301));
  parent.abortRun(303, encodeThrown("not this one"));
  assert(worker.begin(302));
  assert(!worker.begin(303));
  assert(worker.begin(304));
  parent.stop(encodeThrown("none"));
  assert(!worker.begin(305));
});

Deno.test("ControlBlock: two threads never both take a run, and never both leave it", async () => {
  const parent = new ControlBlock();
  const url = new URL("./_begin_worker.ts", import.meta.url);
  const worker = new Worker(url, { type: "module" });
  const { promise, resolve } = Promise.withResolvers<Set<number>>();
  const first = Promise.withResolvers<void>();
  worker.onmessage = ({ data }) => data === "running" ? first.resolve() : resolve(data);
  const count = 20_000;
  const go = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage({ buffer: parent.buffer, count, go: go.buffer });
  await first.promise;
  Atomics.store(go, 0, 1);
  Atomics.notify(go, 0);
  const free = new Set<number>();
  while (parent.begun < count) {
    const from = parent.begun + 2;
    const begun = parent.recall(from);
    if (from + 5 > count) break;
    for (let run = Math.max(from, begun + 1); run < from + 5; run++) free.add(run);
    // Until the worker is past those runs: the last one it may not have looked up yet.
    while (parent.begun < from + 5);
    parent.endRecall();
  }
  const taken = await promise;
  worker.terminate();
  assert(free.size > 0, "the threads never met");
  for (const run of free) assert(!taken.has(run), `run ${run} was taken by both`);
});

Deno.test("ControlBlock keeps the first reason, as an AbortSignal does", () => {
  const { parent, worker } = pair();
  parent.abortRun(1, encodeThrown("first"));
  parent.abortRun(1, encodeThrown("second"));
  assertEquals(worker.reasonFor(1), "first");
  parent.stop(encodeThrown("stop first"));
  parent.stop(encodeThrown("stop second"));
  assertEquals(worker.reasonFor(2), "stop first");
  assertEquals(worker.reasonFor(1), "first", "the reasons of a run and of the stop are apart");
});

Deno.test("ControlBlock stops every run, present and to come", () => {
  const { parent, worker } = pair();
  parent.stop(encodeThrown(new RangeError("closing")));
  for (const sequence of [1, 7, 2 ** 31 - 1]) {
    assert(worker.mustStop(sequence));
    assertInstanceOf(worker.reasonFor(sequence), RangeError);
  }
});

Deno.test("ControlBlock carries errors whole while they fit", () => {
  const reason = Object.assign(new TypeError("m", { cause: new RangeError("inner") }), { code: 5 });
  reason.stack = reason.cause = undefined;
  const arrived = abortFor(reason) as typeof reason;
  assertInstanceOf(arrived, TypeError);
  assertEquals(arrived.code, 5);
  const timeout = abortFor(new DOMException("late", "TimeoutError")) as DOMException;
  assertInstanceOf(timeout, DOMException);
  assertEquals([timeout.name, timeout.message, timeout.code], ["TimeoutError", "late", 23]);
});

Deno.test("ControlBlock carries reasons that are no errors", () => {
  for (const reason of ["text", "", 0, 42, true, null, undefined, { why: ["because"] }]) {
    assertEquals(abortFor(reason), reason);
  }
});

Deno.test("ControlBlock turns reasons that are no JSON into an AbortError that shows them", () => {
  const circle: Record<string, unknown> = { name: "circle" };
  circle.self = circle;
  const cases: [reason: unknown, part: string][] = [
    [5n, "5n"],
    [{ count: 5n }, "5n"],
    [circle, "circle"],
    [{ toString: null, valueOf: null, big: 1n }, "1n"],
  ];
  for (const [reason, part] of cases) {
    const arrived = abortFor(reason) as Error;
    assertInstanceOf(arrived, DOMException);
    assertEquals(arrived.name, "AbortError");
    assert(arrived.message.includes(part), arrived.message);
  }
  const error = abortFor(Object.assign(new TypeError("kept"), { big: 1n })) as Error;
  assertInstanceOf(error, TypeError);
  assertEquals(error.message, "kept");
  assert(String(abortFor(() => {})).includes("Function"));
  assert(String(abortFor(Symbol("s"))).includes("Symbol(s)"));
});

Deno.test("ControlBlock leaves out the stack of an error before it cuts its message", () => {
  const error = new TypeError("m".repeat(1_500), { cause: new Error("c".repeat(1_000)) });
  const arrived = abortFor(error) as Error;
  assertInstanceOf(arrived, TypeError);
  assertEquals(arrived.message, error.message);
});

Deno.test("ControlBlock cuts what does not fit, never inside a character, and says so", () => {
  const letters = ["m", "ä", "漢", "🦕", "\u0000", '"', "\\", "\ud800", "👩‍👩‍👧"];
  for (const letter of letters) {
    // Each offset, so that the cut falls on every part of a character.
    for (let offset = 0; offset < 4; offset++) {
      const long = "x".repeat(offset) + letter.repeat(3_000);
      for (const reason of [new RangeError(long), long, { long }]) {
        const arrived = abortFor(reason) as Error;
        assertInstanceOf(arrived, reason instanceof Error ? RangeError : DOMException);
        const { message } = arrived;
        assert(message.length > 100, `${letter}: ${message.length} characters are left`);
        assert(message.endsWith("…"));
        if (!letter.isWellFormed()) continue;
        assert(message.isWellFormed() && !message.includes("\ufffd"), `${letter} was cut in two`);
      }
    }
  }
});

Deno.test("ControlBlock carries an error whose name is too long", () => {
  for (const letter of ["n", "\u0000", "🦕"]) {
    const error = Object.assign(new Error("m".repeat(5_000)), { name: letter.repeat(5_000) });
    const arrived = abortFor(error) as Error;
    assertInstanceOf(arrived, Error);
    assert(arrived.name.length > 0);
  }
});

Deno.test("ControlBlock keeps the two reasons and the words apart at every length", () => {
  for (let length = 0; length < 2_200; length++) {
    const { parent, worker } = pair();
    parent.stop(encodeThrown("s".repeat(length)));
    parent.abortRun(5, encodeThrown("r".repeat(length)));
    worker.beat();
    const messages = [worker.reasonFor(5), worker.reasonFor(6)].map((reason) =>
      reason instanceof Error ? reason.message : reason as string
    );
    assert(/^r*…?$/.test(messages[0]!), `${length}: ${messages[0]}`);
    assert(/^s*…?$/.test(messages[1]!), `${length}: ${messages[1]}`);
    assertEquals(worker.heartbeat, 1);
    assert(!new ControlBlock().mustStop(1));
  }
});

Deno.test("ControlBlock counts heartbeats, and wraps around without an error", () => {
  const { parent, worker } = pair();
  assertEquals(parent.heartbeat, 0);
  for (let beat = 1; beat <= 3; beat++) {
    worker.beat();
    assertEquals(parent.heartbeat, beat);
  }
  new Int32Array(parent.buffer)[1] = 2 ** 31 - 1;
  const before = parent.heartbeat;
  worker.beat();
  assert(parent.heartbeat !== before);
  worker.beat();
  assertEquals(parent.heartbeat, -(2 ** 31) + 1);
  assert(!worker.mustStop(1), "a heartbeat reached another word");
});

Deno.test("ControlBlock reaches a worker in a loop that never yields", async () => {
  const worker = new Worker(import.meta.resolve("./_spin_worker.ts"), { type: "module" });
  try {
    for (const [sequence, kind] of [[1, "abort"], [2, "abort"], [3, "stop"]] as const) {
      const control = new ControlBlock();
      const answer = Promise.withResolvers<{ turns: number; reason: Error }>();
      worker.onmessage = ({ data }) => answer.resolve(data);
      worker.onerror = ({ message }) => answer.reject(new Error(message));
      worker.postMessage({ buffer: control.buffer, sequence });
      // An earlier run is aborted meanwhile: this one goes on.
      control.abortRun(sequence - 1, encodeThrown("another run"));
      while (control.heartbeat < 1_000) await new Promise((resolve) => setTimeout(resolve));
      const beats = control.heartbeat;
      const reason = encodeThrown(new DOMException(`number ${sequence}`, "TimeoutError"));
      if (kind === "abort") control.abortRun(sequence, reason);
      else control.stop(reason);
      const { turns, reason: arrived } = await answer.promise;
      assert(turns >= beats);
      assertEquals(control.heartbeat, turns);
      assertEquals(arrived.message, `number ${sequence}`);
    }
  } finally {
    worker.terminate();
  }
});
