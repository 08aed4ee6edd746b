import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { reconcileState } from "../../src/reconcile/reconcile_state.ts";
import { UncertainError } from "../../src/reconcile/uncertain_error.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestState } from "./_state.ts";

guardTests();

Deno.test("reconcileState() applies what is desired, changes it, and removes it", async () => {
  await using state = new TestState();
  state.desired.set("a", 1);
  assertEquals(await state.passed(), ["apply a=1"]);
  await state.passed();
  state.desired.set("a", 2).set("b", 1);
  assertEquals((await state.passed()).slice(1), ["apply a=2", "apply b=1"]);
  state.desired.delete("a");
  assertEquals((await state.passed()).slice(3), ["remove a"]);
});

Deno.test("reconcileState() does nothing when nothing is desired", async () => {
  await using state = new TestState();
  for (let count = 0; count < 5; count++) assertEquals(await state.passed(), []);
});

Deno.test("reconcileState() starts removals before applications", async () => {
  await using state = new TestState();
  state.desired.set("a", 1);
  await state.passed();
  state.desired.clear();
  state.desired.set("b", 1);
  assertEquals((await state.passed()).slice(1), ["remove a", "apply b=1"]);
});

Deno.test("reconcileState() takes what there was for uncertain: applies it again, or removes it", async () => {
  const seen: unknown[] = [];
  await using state = new TestState({
    actual: () => [["kept", 1], ["orphan", 2]],
    apply: (key, wanted, actual, { certain }) => {
      seen.push(["apply", key, actual, certain]);
      return wanted;
    },
    remove: (key, actual, { certain }) => void seen.push(["remove", key, actual, certain]),
  });
  state.desired.set("kept", 1);
  await state.passed();
  await state.passed();
  assertEquals(seen, [["remove", "orphan", 2, false], ["apply", "kept", 1, false]]);
  assertEquals(state.log.all("state-reconstructed").map(({ keys }) => keys), [["kept", "orphan"]]);
});

Deno.test("reconcileState() removes nothing before the desired state is complete", async () => {
  let complete = false;
  await using state = new TestState({
    actual: () => [["orphan", 1]],
    complete: () => complete,
  });
  state.desired.set("a", 1);
  for (let count = 0; count < 3; count++) assertEquals(await state.passed(), ["apply a=1"]);
  complete = true;
  assertEquals(await state.passed(), ["apply a=1", "remove orphan"]);
});

Deno.test("reconcileState() removes nothing while the desired state cannot be read", async () => {
  let broken: Error | undefined = new Error("no such folder");
  await using state = new TestState({
    actual: () => [["orphan", 1]],
    desired: () => {
      if (broken !== undefined) throw broken;
      return [];
    },
  });
  assertEquals(await state.passed(), []);
  assertEquals(state.log.all("state-desired-failed")[0]!.error, broken);
  broken = undefined;
  assertEquals(await state.passed(), ["remove orphan"]);
});

Deno.test("reconcileState() removes only what was absent for long enough, without a break", async () => {
  await using state = new TestState({ absentFor: { seconds: 10 } });
  state.desired.set("dns", 1);
  await state.passed();
  state.desired.delete("dns");
  await state.passed(5_000);
  await state.passed(4_000);
  state.desired.set("dns", 1);
  await state.passed();
  state.desired.delete("dns");
  await state.passed(0);
  assertEquals(await state.passed(9_000), ["apply dns=1"]);
  assertEquals(await state.passed(1_000), ["apply dns=1", "remove dns"]);
});

Deno.test("reconcileState() tells failed from uncertain: what may be there is removed", async () => {
  let error: Error = new Error("refused");
  await using state = new TestState({
    apply: () => {
      throw error;
    },
  });
  state.desired.set("a", 1);
  await state.passed();
  state.desired.clear();
  await state.passed();
  assertEquals(state.calls, []);

  error = new UncertainError("make it", "no answer");
  state.desired.set("a", 1);
  await state.passed();
  state.desired.clear();
  await state.passed();
  assertEquals(state.calls, ["remove a"]);
  assertEquals(
    state.log.all("state-operation-ended").map(({ outcome }) => outcome),
    ["failed", "uncertain", "done"],
  );
});

Deno.test("reconcileState() refuses what it cannot use, and a second run beside the first", async () => {
  const options = {
    desired: () => [],
    actual: () => [],
    matches: () => true,
    apply: () => 1,
    remove: () => {},
  };
  assertThrows(
    () => reconcileState({ ...options, apply: undefined as never }),
    TypeError,
    'Cannot reconcile "state": expected a function as apply: received undefined',
  );
  assertThrows(() => reconcileState({ ...options, concurrency: 0 }), RangeError, "received 0");
  assertThrows(() => reconcileState({ ...options, refresh: -1 }), RangeError, "refresh");
  const reconciler = reconcileState(options);
  await assertRejects(() => reconciler.run(undefined as never), TypeError, "an AbortSignal");
  const owner = new AbortController();
  const run = reconciler.run(owner.signal);
  await assertRejects(() => reconciler.run(owner.signal), Error, "it is running");
  owner.abort();
  await run;
  await reconciler.run(owner.signal);
});

Deno.test("reconcileState() cannot run when it cannot find out what there is", async () => {
  const cause = new Error("disk");
  const reconciler = reconcileState({
    name: "files",
    desired: () => [],
    actual: () => Promise.reject(cause),
    matches: () => true,
    apply: () => 1,
    remove: () => {},
  });
  const error = await assertRejects(() => reconciler.run(new AbortController().signal), Error);
  assertEquals(error.cause, cause);
});

Deno.test("reconcileState() does not take for absent what is desired as long as that is incomplete", async () => {
  let isComplete = true;
  await using state = new TestState({
    absentFor: { seconds: 10 },
    complete: () => isComplete,
  });
  state.desired.set("dns", 1);
  await state.passed();
  state.desired.delete("dns");
  await state.passed();
  isComplete = false;
  state.desired.set("dns", 1);
  await state.passed(5_000);
  isComplete = true;
  state.desired.delete("dns");
  assertEquals(await state.passed(6_000), ["apply dns=1"]);
  assertEquals(await state.passed(10_000), ["apply dns=1", "remove dns"]);
});

Deno.test("reconcileState() counts anew how long a key is absent that was removed and is there again", async () => {
  let actual: [string, number][] = [["orphan", 1]];
  await using state = new TestState({ absentFor: { seconds: 10 }, actual: () => actual });
  await state.passed();
  assertEquals(await state.passed(10_000), ["remove orphan"]);
  actual = [];
  await state.passed();
  actual = [["orphan", 1]];
  state.reconciler.refresh();
  await state.passed();
  assertEquals(await state.passed(5_000), ["remove orphan"]);
  assertEquals(await state.passed(10_000), ["remove orphan", "remove orphan"]);
});
