import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { ControlBlock } from "../../src/protocol/control_block.ts";
import { encodeThrown } from "../../src/protocol/error_codec.ts";
import type { FromWorker } from "../../src/protocol/messages.ts";
import { RunContext } from "../../src/worker/run_context.ts";

/** A run with its memory and what it sent, each message as a real channel would copy it. */
function make(sequence = 1): { run: RunContext; control: ControlBlock; sent: FromWorker[] } {
  const control = new ControlBlock();
  const sent: FromWorker[] = [];
  const run = new RunContext(
    { sequence, runId: "r1", attempt: 2, deadline: 5_000 },
    {
      worker: "w1",
      task: { name: "sweep" },
      control,
      post: (message) => void sent.push(structuredClone(message)),
    },
  );
  return { run, control, sent };
}

/** Lets `performance.now` stand still, and go on as told. */
function fakeNow(): Disposable & { now: number } {
  const { now } = performance;
  const fake = {
    now: 1_000,
    [Symbol.dispose]: () => void Object.defineProperty(performance, "now", { value: now }),
  };
  Object.defineProperty(performance, "now", {
    value: () => fake.now,
    configurable: true,
    writable: true,
  });
  return fake;
}

const progressOf = (sent: FromWorker[]): number[] =>
  sent.flatMap((message) => message.type === "leash:progress" ? [message.done] : []);

Deno.test("the context shows what the run is", () => {
  const { context } = make().run;
  assertEquals([context.runId, context.attempt, context.deadline, context.task.name], [
    "r1",
    2,
    5_000,
    "sweep",
  ]);
  assert(!context.signal.aborted);
});

Deno.test("the functions of the context may be taken out of it", () => {
  const { run, sent } = make();
  const { checkpoint, progress, log: { info } } = run.context;
  checkpoint();
  progress(1);
  info("x");
  assertEquals(sent.length, 2);
});

Deno.test("checkpoint() throws the reason of the abort, each time the same, and aborts the signal once", () => {
  const { run, control } = make();
  let aborts = 0;
  run.context.signal.addEventListener("abort", () => aborts++);
  run.context.checkpoint();
  control.abortRun(1, encodeThrown(new DOMException("too long", "TimeoutError")));
  assert(!run.context.signal.aborted, "nobody has looked yet");
  const first = assertThrows(() => run.context.checkpoint(), DOMException, "too long");
  assertStrictEquals(first, run.context.signal.reason);
  assertStrictEquals(assertThrows(() => run.context.checkpoint()), first);
  control.stop(encodeThrown("another reason"));
  run.abort(() => "the message, which comes later");
  assertStrictEquals(assertThrows(() => run.context.checkpoint()), first);
  assertEquals(aborts, 1);
});

Deno.test("checkpoint() throws the reason of the message if that came first", () => {
  const { run, control } = make();
  const reason = new Error("by message");
  run.abort(() => reason);
  control.abortRun(1, encodeThrown("by memory"));
  assertStrictEquals(assertThrows(() => run.context.checkpoint()), reason);
  assertStrictEquals(run.context.signal.reason, reason);
});

Deno.test("checkpoint() throws when only the message came, as where no memory is shared", () => {
  const { run } = make();
  const reason = new Error("by message");
  run.abort(() => reason);
  assertStrictEquals(assertThrows(() => run.context.checkpoint()), reason);
});

Deno.test("checkpoint() throws reasons that are no errors as they are", () => {
  for (const reason of ["text", 0, false, null, { why: 1 }]) {
    const { run, control } = make();
    control.abortRun(1, encodeThrown(reason));
    try {
      run.context.checkpoint();
    } catch (thrown) {
      assertEquals(thrown, reason);
      assertEquals(run.context.signal.reason, reason);
      continue;
    }
    throw new Error("checkpoint() did not throw");
  }
});

Deno.test("checkpoint() heeds its own run and the stop of the worker, no other run", () => {
  const { run, control } = make(4);
  control.abortRun(3, encodeThrown("run 3"));
  run.context.checkpoint();
  control.stop(encodeThrown(new Error("closing")));
  assertThrows(() => run.context.checkpoint(), Error, "closing");
});

Deno.test("checkpoint() does not read the reason again for the second of two aborts", () => {
  const { run } = make();
  let read = 0;
  for (let index = 0; index < 3; index++) run.abort(() => ++read);
  assertEquals(read, 1);
  assertEquals(run.context.signal.reason, 1);
});

Deno.test("checkpoint() and progress() show the parent a sign of life each time", () => {
  const { run, control } = make();
  for (let beat = 1; beat <= 1_000; beat++) {
    beat % 2 ? run.context.checkpoint() : run.context.progress(beat);
    assertEquals(control.heartbeat, beat);
  }
});

Deno.test("progress() is sent at once first, then at most once in 50 ms, and the last by flush()", () => {
  using time = fakeNow();
  const { run, sent } = make();
  run.context.progress(1, 100);
  assertEquals(sent, [{ type: "leash:progress", sequence: 1, done: 1, total: 100 }]);
  for (let done = 2; done <= 50; done++) {
    time.now++;
    run.context.progress(done);
  }
  assertEquals(progressOf(sent), [1]);
  time.now++;
  run.context.progress(51);
  assertEquals(progressOf(sent), [1, 51]);
  run.context.progress(52);
  run.context.progress(53);
  run.flush();
  run.flush();
  assertEquals(progressOf(sent), [1, 51, 53]);
});

Deno.test("progress() of a million steps in a second is heard twenty times", () => {
  using time = fakeNow();
  const { run, sent } = make();
  for (let done = 1; done <= 1_000_000; done++) {
    time.now = 1_000 + done / 1_000;
    run.context.progress(done, 1_000_000);
  }
  run.flush();
  assert(sent.length >= 20 && sent.length <= 22, `${sent.length} messages`);
  assertEquals(progressOf(sent).at(-1), 1_000_000);
});

Deno.test("a log record comes after the progress that was made before it", () => {
  using _time = fakeNow();
  const { run, sent } = make();
  run.context.progress(1);
  run.context.progress(2);
  run.context.log.warn("half", { files: 3 });
  run.context.progress(3);
  run.flush();
  assertEquals(
    sent.map((message) => message.type === "leash:progress" ? message.done : message.type),
    [1, 2, "leash:log", 3],
  );
  assertEquals(sent[2], {
    type: "leash:log",
    sequence: 1,
    level: "warn",
    message: "half",
    data: { files: 3 },
  });
});

Deno.test("progress() with what is no number throws in the task, and spoils nothing", () => {
  const { run, sent } = make();
  for (const bad of [Symbol("s"), Object.create(null)]) {
    assertThrows(() => run.context.progress(bad as number), TypeError);
    assertThrows(() => run.context.progress(1, bad as number), TypeError);
  }
  run.flush();
  assertEquals(sent, [], "flush() at the end of a run must not throw for it");
  run.context.progress((() => {}) as unknown as number);
  run.context.progress(5n as unknown as number);
  run.flush();
  assertEquals(progressOf(sent), [NaN, 5]);
});

Deno.test("log has four levels, and no data where there is none", () => {
  const { run, sent } = make();
  for (const level of ["debug", "info", "warn", "error"] as const) run.context.log[level](level);
  assertEquals(
    sent,
    ["debug", "info", "warn", "error"].map((level) => ({
      type: "leash:log",
      sequence: 1,
      level: level as "debug",
      message: level,
    })),
  );
});

Deno.test("log never fails the run, whatever it is given", () => {
  const hostile = {
    method() {},
    [Symbol.for("Deno.customInspect")]() {
      throw new Error("no picture of me");
    },
  };
  const { run, sent } = make();
  const data: unknown[] = [() => {}, Symbol("s"), { method() {} }, Promise.resolve(), hostile];
  for (const each of data) run.context.log.info("data", each);
  const messages: unknown[] = [
    5,
    null,
    undefined,
    Symbol("s"),
    Object.create(null),
    { toString: null, valueOf: null },
  ];
  for (const each of messages) run.context.log.info(each as string);
  assertEquals(sent.length, data.length + messages.length);
  for (const message of sent) {
    assert(message.type === "leash:log" && typeof message.message === "string");
    assert(message.data === undefined || typeof message.data === "string");
  }
});
