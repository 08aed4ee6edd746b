import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { Owner, type StopRequest } from "../../src/base/owner.ts";

/** An owner that notes what it is asked for. */
function make(signal: AbortSignal, result?: () => Promise<void>): {
  owner: Owner;
  requests: StopRequest[];
} {
  const requests: StopRequest[] = [];
  const owner = new Owner(signal, (request) => {
    requests.push(request);
    return result?.() ?? Promise.resolve();
  });
  return { owner, requests };
}

Deno.test("Owner is torn down once by the abort of its signal, with the very reason", async () => {
  const controller = new AbortController();
  const { owner, requests } = make(controller.signal);
  const reason = new Error("the end");
  assert(!owner.signal.aborted);
  controller.abort(reason);
  assert(owner.signal.aborted, "its own signal aborts in the same turn");
  assertStrictEquals(owner.signal.reason, reason);
  assertEquals(requests, [], "never torn down inside the abort listener");
  await owner.finished;
  assertEquals(requests.length, 1);
  assertStrictEquals(requests[0]!.reason, reason);
  assertEquals(requests[0]!.gracePeriod, undefined);
});

Deno.test("Owner.stop() joins a stop that has begun: the first reason holds", async () => {
  const { owner, requests } = make(new AbortController().signal);
  const first = owner.stop({ reason: "first", gracePeriod: 5 });
  const second = owner.stop({ reason: "second", gracePeriod: 0 });
  assertStrictEquals(first, second);
  await second;
  await owner.stop({ reason: "third" });
  assertEquals(requests, [{ reason: "first", gracePeriod: 5 }]);
});

Deno.test("Owner is torn down once when its signal aborts and it is closed at the same time", async () => {
  for (const closeFirst of [true, false]) {
    const controller = new AbortController();
    const { owner, requests } = make(controller.signal);
    const steps = [
      () => void owner.stop({ reason: "closed" }),
      () => controller.abort("aborted"),
    ];
    for (const step of closeFirst ? steps : steps.reverse()) step();
    await owner.finished;
    controller.abort("later");
    await owner.stop({ reason: "later" });
    assertEquals(requests.map(({ reason }) => reason), [closeFirst ? "closed" : "aborted"]);
  }
});

Deno.test("Owner that is made below an aborted signal is torn down after its constructor", async () => {
  const order: string[] = [];
  class Below extends Owner {
    readonly field: string;
    constructor() {
      super(AbortSignal.abort("long ago"), ({ reason }) => {
        order.push(`teardown ${reason}, field ${this.field}`);
        return Promise.resolve();
      });
      this.field = "set";
      order.push("constructed");
    }
  }
  const owner = new Below();
  assert(owner.signal.aborted);
  await owner.finished;
  assertEquals(order, ["constructed", "teardown long ago, field set"]);
});

Deno.test("Owner.finished rejects as the teardown does, also when nobody listens", async () => {
  // The test runner fails on an unhandled rejection.
  const error = new Error("still alive");
  const failures: (() => Promise<void>)[] = [
    () => Promise.reject(error),
    () => {
      throw error;
    },
  ];
  for (const fail of failures) {
    const controller = new AbortController();
    const { owner } = make(controller.signal, fail);
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve));
    assertStrictEquals(await assertRejects(() => owner.finished), error);
    assertStrictEquals(await assertRejects(() => owner.stop({ reason: 1 })), error);
  }
});

Deno.test("Owner.finished waits for the whole teardown", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { owner } = make(new AbortController().signal, () => promise);
  let finished = false;
  const stopped = owner.stop({ reason: "x" }).then(() => finished = true);
  await new Promise((resolve) => setTimeout(resolve));
  assert(!finished);
  resolve();
  await stopped;
});

Deno.test("Owner holds nothing of its signal once it is stopped, and asks it for one listener", async () => {
  const controller = new AbortController();
  let added = 0;
  let removed = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: EventListener) => {
    added++;
    add(type, listener);
  };
  signal.removeEventListener = (type: string, listener: EventListener) => {
    removed++;
    remove(type, listener);
  };
  const owners = Array.from({ length: 100 }, () => make(signal).owner);
  assertEquals([added, removed], [1, 0]);
  await Promise.all(owners.map((owner) => owner.stop({ reason: "x" })));
  assertEquals([added, removed], [1, 1]);
});

Deno.test("Owner gives its teardown the reason that its signal shows, also for undefined", async () => {
  const { owner, requests } = make(new AbortController().signal);
  await owner.stop({ reason: undefined });
  assertEquals((owner.signal.reason as Error).name, "AbortError");
  assertStrictEquals(requests[0]!.reason, owner.signal.reason);
});

Deno.test("Owner passes reasons on that are null or false", async () => {
  for (const reason of [null, false, 0, ""]) {
    const controller = new AbortController();
    const { owner, requests } = make(controller.signal);
    controller.abort(reason);
    await owner.finished;
    assertEquals(requests, [{ reason, gracePeriod: undefined }]);
  }
});
