import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { onAbort } from "../../src/base/on_abort.ts";
import { captureReports } from "./_capture_reports.ts";

/** A signal that counts the listeners it has. */
function spiedController(): { controller: AbortController; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  const current = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: EventListener, options?: unknown) => {
    assert(!current.has(listener));
    current.add(listener);
    add(type, listener, options as AddEventListenerOptions);
  };
  signal.removeEventListener = (type: string, listener: EventListener) => {
    current.delete(listener);
    remove(type, listener);
  };
  return { controller, listeners: () => current.size };
}

Deno.test("onAbort() puts one listener on a signal for 10,000 that wait, and removes it with the last", () => {
  const { controller, listeners } = spiedController();
  let calls = 0;
  const waiting = Array.from({ length: 10_000 }, () => onAbort(controller.signal, () => calls++));
  assertEquals(listeners(), 1);
  const last = waiting.pop()!;
  for (const each of waiting) each[Symbol.dispose]();
  assertEquals(listeners(), 1, "one still waits");
  last[Symbol.dispose]();
  assertEquals(listeners(), 0);
  controller.abort();
  assertEquals(calls, 0);
});

Deno.test("onAbort() calls all that wait once, in order, with the very reason", () => {
  const { controller } = spiedController();
  const calls: [number, unknown][] = [];
  for (let index = 0; index < 10_000; index++) {
    onAbort(controller.signal, (reason) => calls.push([index, reason]));
  }
  const reason = { why: "an object of the user's own" };
  controller.abort(reason);
  controller.abort("again");
  assertEquals(calls.length, 10_000);
  for (const [position, [index, received]] of calls.entries()) {
    assertEquals(index, position);
    assertStrictEquals(received, reason);
  }
});

Deno.test("onAbort() passes reasons on that are null or false", () => {
  for (const reason of [null, false, 0, ""]) {
    const controller = new AbortController();
    const received: unknown[] = [];
    onAbort(controller.signal, (each) => received.push(each));
    controller.abort(reason);
    assertEquals(received, [reason]);
  }
});

Deno.test("onAbort() works again on a signal that all have left", () => {
  const { controller, listeners } = spiedController();
  let calls = 0;
  for (let round = 0; round < 3; round++) {
    const first = onAbort(controller.signal, () => calls++);
    first[Symbol.dispose]();
    // A second disposal must not take the listener of those that came later.
    const later = onAbort(controller.signal, () => calls++);
    first[Symbol.dispose]();
    assertEquals(listeners(), 1);
    later[Symbol.dispose]();
  }
  onAbort(controller.signal, () => calls++);
  controller.abort();
  assertEquals(calls, 1);
});

Deno.test("onAbort() counts a listener twice when it was added twice", () => {
  const controller = new AbortController();
  let calls = 0;
  const listener = (): void => void calls++;
  const first = onAbort(controller.signal, listener);
  onAbort(controller.signal, listener);
  first[Symbol.dispose]();
  controller.abort();
  assertEquals(calls, 1);
});

Deno.test("onAbort() calls at once, and holds nothing, when the signal has aborted already", () => {
  const { controller, listeners } = spiedController();
  controller.abort("over");
  const reasons: unknown[] = [];
  const waiting = onAbort(controller.signal, (reason) => reasons.push(reason));
  assertEquals(reasons, ["over"]);
  assertEquals(listeners(), 0);
  waiting[Symbol.dispose]();
});

Deno.test("onAbort() reports a listener that throws; the others are called, the process lives", () => {
  using captured = captureReports();
  const controller = new AbortController();
  const calls: number[] = [];
  for (let index = 0; index < 5; index++) {
    onAbort(controller.signal, () => {
      calls.push(index);
      if (index % 2 === 0) throw new Error(`listener ${index}`);
    });
  }
  controller.abort();
  onAbort(controller.signal, () => {
    throw new Error("late");
  });
  assertEquals(calls, [0, 1, 2, 3, 4]);
  assertEquals(captured.reports.map(([, error]) => (error as Error).message), [
    "listener 0",
    "listener 2",
    "listener 4",
    "late",
  ]);
});

Deno.test("onAbort() survives a listener that throws what cannot even be shown", () => {
  const controller = new AbortController();
  const calls: string[] = [];
  // Written by the real console, which runs this function.
  const hostile = {
    [Symbol.for("Deno.customInspect")]() {
      throw new Error("no picture of me");
    },
  };
  onAbort(controller.signal, () => {
    throw hostile;
  });
  onAbort(controller.signal, () => calls.push("second"));
  controller.abort();
  assertEquals(calls, ["second"]);
});

Deno.test("onAbort() does not call a listener that another one removed a moment before", () => {
  const controller = new AbortController();
  const calls: string[] = [];
  let second: Disposable | undefined = undefined;
  onAbort(controller.signal, () => {
    calls.push("first");
    (second as Disposable | undefined)?.[Symbol.dispose]();
  });
  second = onAbort(controller.signal, () => calls.push("second"));
  onAbort(controller.signal, () => calls.push("third"));
  controller.abort();
  assertEquals(calls, ["first", "third"]);
});

Deno.test("onAbort() calls at once what is added while the signal aborts, exactly once", () => {
  const controller = new AbortController();
  const calls: string[] = [];
  onAbort(controller.signal, () => {
    calls.push("outer");
    onAbort(controller.signal, () => calls.push("inner"));
  });
  onAbort(controller.signal, () => calls.push("last"));
  controller.abort();
  assertEquals(calls, ["outer", "inner", "last"]);
});

Deno.test("onAbort() lets a listener remove itself while it is called, and afterwards", () => {
  const controller = new AbortController();
  let calls = 0;
  const self: Disposable = onAbort(controller.signal, () => {
    calls++;
    self[Symbol.dispose]();
  });
  controller.abort();
  self[Symbol.dispose]();
  assertEquals(calls, 1);
});
