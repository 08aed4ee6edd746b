import { assertEquals, assertStrictEquals, assertStringIncludes } from "@std/assert";
import { onAbort } from "../../src/base/on_abort.ts";
import { reconcileState } from "../../src/reconcile/reconcile_state.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { captureReports } from "../base/_capture_reports.ts";
import { TestState } from "./_state.ts";

guardTests();

Deno.test("an operation that fails is tried again after 500 ms, doubled each time, up to 2 min 2 s", async () => {
  let fails = true;
  await using state = new TestState({
    apply: (_key, wanted) => {
      if (fails) throw new Error("refused");
      return wanted;
    },
  });
  const ends = () => state.log.all("state-operation-ended");
  state.desired.set("a", 1);
  await state.passed();
  for (let count = 1; count < 11; count++) {
    // So far it has to wait, and a moment later it has not.
    const { retryIn } = ends().at(-1)!;
    await state.passed(retryIn! - 250);
    assertEquals(ends().length, count);
    await state.passed(200);
    assertEquals(ends().length, count + 1);
  }
  assertEquals(
    ends().map(({ retryIn }) => retryIn),
    [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 122_000, 122_000, 122_000],
  );
  fails = false;
  await state.passed(122_000);
  fails = true;
  state.desired.set("a", 2);
  await state.passed();
  assertEquals(ends().at(-1)!.retryIn, 500);
});

Deno.test("a key that cannot be applied can be removed at once, and others go on", async () => {
  await using state = new TestState({
    actual: () => [["a", 0]],
    apply: (key, wanted) => {
      if (key === "a") throw new Error("refused");
      return wanted;
    },
  });
  state.desired.set("a", 1).set("b", 1);
  await state.passed();
  state.desired.delete("a");
  assertEquals(await state.passed(), ["remove a"]);
  assertEquals(
    state.log.all("state-operation-ended").map(({ operation, key, outcome }) =>
      `${operation} ${key} ${outcome}`
    ).sort(),
    ["apply a failed", "apply b done", "remove a done"],
  );
});

Deno.test("operations do not hold up passes, and there is one at a time for each key", async () => {
  const gate = Promise.withResolvers<void>();
  let inApply = 0;
  await using state = new TestState({
    apply: async (key, wanted) => {
      if (key === "a") {
        inApply++;
        await gate.promise;
      }
      return wanted;
    },
  });
  state.desired.set("a", 1).set("b", 1);
  await state.step();
  state.desired.set("a", 2).set("c", 1);
  await state.step();
  await state.step();
  assertEquals(inApply, 1);
  assertEquals(state.log.all("state-operation-ended").map(({ key }) => key), ["b", "c"]);
  gate.resolve();
  await state.passed();
  await state.passed();
  assertEquals(inApply, 2);
});

Deno.test("no more operations are under way than allowed", async () => {
  let running = 0;
  let most = 0;
  await using state = new TestState({
    concurrency: 2,
    apply: async (_key, wanted) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 0));
      running--;
      return wanted;
    },
  });
  for (let key = 0; key < 7; key++) state.desired.set(`${key}`, 1);
  for (let pass = 0; pass < 4; pass++) await state.passed();
  assertEquals(most, 2);
  assertEquals(state.log.all("state-operation-ended").length, 7);
});

Deno.test("an operation that takes too long is told so, and what it did is uncertain", async () => {
  const reasons: unknown[] = [];
  await using state = new TestState({
    timeout: { seconds: 5 },
    apply: (_key, _wanted, _actual, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(new Error("it broke off"));
        });
      }),
  });
  state.desired.set("a", 1);
  await state.step();
  await state.step(4_000);
  assertEquals(reasons, []);
  await state.step(1_000);
  const { outcome } = await state.log.until("state-operation-ended");
  assertEquals(outcome, "uncertain");
  assertEquals((reasons[0] as DOMException).name, "TimeoutError");
  state.desired.clear();
  assertEquals(await state.passed(), ["remove a"]);
});

Deno.test("what is desired again while it is being removed is made again", async () => {
  const gate = Promise.withResolvers<void>();
  await using state = new TestState({ remove: () => gate.promise });
  state.desired.set("a", 1);
  await state.passed();
  state.desired.clear();
  await state.step();
  state.desired.set("a", 1);
  await state.step();
  assertEquals(state.calls, ["apply a=1"]);
  gate.resolve();
  await state.passed();
  assertEquals(await state.passed(), ["apply a=1", "apply a=1"]);
});

Deno.test("a removal that broke off leaves what was there, uncertain", async () => {
  let fails = true;
  const seen: unknown[] = [];
  await using state = new TestState({
    remove: (_key, actual, { certain }) => {
      seen.push([actual, certain]);
      if (fails) throw new DOMException("too late", "TimeoutError");
    },
  });
  state.desired.set("a", 1);
  await state.passed();
  state.desired.clear();
  await state.passed();
  fails = false;
  await state.passed(500);
  assertEquals(seen, [[1, true], [1, false]]);
  state.desired.set("a", 1);
  assertEquals(await state.passed(), ["apply a=1", "apply a=1"]);
});

Deno.test("run() ends when what it began has ended, and hands down the reason", async () => {
  const owner = new AbortController();
  const begun = Promise.withResolvers<AbortSignal>();
  const gate = Promise.withResolvers<number>();
  let ended = false;
  const run = reconcileState({
    desired: () => [["a", 1]],
    actual: () => [],
    matches: () => true,
    apply: (_key, _wanted, _actual, { signal }) => {
      begun.resolve(signal);
      return gate.promise;
    },
    remove: () => {},
    onEvent: () => {},
  }).run(owner.signal).then(() => ended = true);
  const signal = await begun.promise;
  const reason = new Error("enough");
  owner.abort(reason);
  assertStrictEquals(signal.reason, reason);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(ended, false);
  gate.resolve(1);
  await run;
});

Deno.test("a key that cannot be compared has failed, waits as such, and keeps no other waiting", async () => {
  let broken = true;
  await using state = new TestState({
    matches: (wanted, there) => {
      if (broken && wanted === 1) throw new TypeError("no size");
      return wanted === there;
    },
  });
  state.desired.set("a", 1).set("b", 2);
  assertEquals(await state.passed(), ["apply a=1", "apply b=2"]);
  await state.passed();
  await state.passed(100);
  const ends = state.log.all("state-operation-ended").slice(2);
  assertEquals(
    ends.map(({ key, outcome, error, retryIn }) => [key, outcome, `${error}`, retryIn]),
    [
      ["a", "failed", "TypeError: no size", 500],
    ],
  );
  broken = false;
  assertEquals(await state.passed(500), ["apply a=1", "apply b=2"]);
});

Deno.test("what breaks off because of the stop is no problem, and nothing is said of it", async () => {
  using said = captureReports();
  for (const how of ["aborts", "fails"] as const) {
    const owner = new AbortController();
    const begun = Promise.withResolvers<void>();
    const run = reconcileState({
      desired: () => [["a", 1]],
      actual: () => [],
      matches: () => true,
      apply: (_key, _wanted, _actual, { signal }) => {
        begun.resolve();
        if (how === "fails") throw new Error("no room");
        return new Promise((_, reject) => onAbort(signal, reject));
      },
      remove: () => {},
    }).run(owner.signal);
    await begun.promise;
    // What fails by itself is over by then.
    await new Promise((resolve) => setTimeout(resolve, 0));
    owner.abort();
    await run;
  }
  assertEquals(said.reports.length, 1);
  assertStringIncludes(String(said.reports[0]), "state: to apply a failed, again in 500 ms");
});

Deno.test("an operation that takes too long and does not end is named, once", async () => {
  const gate = Promise.withResolvers<number>();
  await using state = new TestState({ timeout: { seconds: 5 }, apply: () => gate.promise });
  state.desired.set("a", 1);
  await state.step();
  await state.step(4_000);
  assertEquals(state.log.all("state-overdue"), []);
  await state.step(1_000);
  await state.step(60_000);
  const overdue = state.log.all("state-overdue");
  assertEquals(overdue.map(({ call, key }) => [call, key]), [["apply", "a"]]);
  gate.resolve(1);
});
