import { assertEquals, assertRejects } from "@std/assert";
import { reconcileState } from "../../src/reconcile/reconcile_state.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { TestState } from "./_state.ts";

guardTests();

/** Something that hangs until it is told to end. */
class Hanging {
  readonly #called = Promise.withResolvers<void>();

  /** Resolves when it hangs. */
  get called(): Promise<void> {
    return this.#called.promise;
  }

  until(signal: AbortSignal): Promise<never> {
    this.#called.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  }
}

Deno.test("what is desired is read for no longer than the timeout, then again", async () => {
  const hanging = new Hanging();
  let reads = 0;
  await using state = new TestState({
    timeout: { seconds: 5 },
    actual: () => [["b", 2]],
    desired: (signal) => ++reads === 1 ? hanging.until(signal) : [["a", 1]],
  });
  await hanging.called;
  state.clock.advance(4_999);
  assertEquals(state.log.all("state-desired-failed"), []);
  state.clock.advance(1);
  const { error } = await state.log.until("state-desired-failed");
  assertEquals([(error as Error).name, (error as Error).message], [
    "TimeoutError",
    "To read what is desired took more than 5000 ms",
  ]);
  assertEquals(state.calls, [], "nothing is removed while nobody knows what is desired");
  assertEquals(await state.passed(), ["remove b", "apply a=1"]);
});

Deno.test("a look at what there is takes no longer than the timeout, and comes again", async () => {
  const hanging = new Hanging();
  let looks = 0;
  await using state = new TestState({
    timeout: { seconds: 5 },
    actual: (signal) => ++looks === 2 ? hanging.until(signal) : [],
  });
  await state.passed();
  state.reconciler.refresh();
  await state.step();
  await hanging.called;
  state.clock.advance(5_000);
  const { error } = await state.log.until("state-refresh-failed");
  assertEquals((error as Error).message, "To find out what there is took more than 5000 ms");
  await state.step();
  await state.log.until("state-refreshed");
  assertEquals(looks, 3);
});

Deno.test("a first look that hangs ends the run, which says why, and leaves no timer", async () => {
  const hanging = new Hanging();
  const clock = new FakeClock();
  const reconciler = reconcileState<number, number>({
    clock,
    timeout: { seconds: 5 },
    desired: () => [],
    actual: (signal) => hanging.until(signal),
    matches: () => true,
    apply: () => 0,
    remove: () => {},
  });
  const owner = new AbortController();
  const run = reconciler.run(owner.signal);
  await hanging.called;
  clock.advance(5_000);
  const error = await assertRejects(() => run, Error, "what there is could not be found out");
  assertEquals((error.cause as Error).name, "TimeoutError");
  assertEquals(clock.timers, 0);
});

Deno.test("what `complete` takes is not counted as the time of `desired`", async () => {
  const gate = Promise.withResolvers<boolean>();
  const asked = Promise.withResolvers<void>();
  await using state = new TestState({
    timeout: { seconds: 5 },
    complete: () => {
      asked.resolve();
      return gate.promise;
    },
  });
  await asked.promise;
  state.clock.advance(60_000);
  assertEquals(state.log.all("state-overdue"), []);
  gate.resolve(true);
});
