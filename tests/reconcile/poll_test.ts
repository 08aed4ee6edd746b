import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { poll, type PollOptions } from "../../src/reconcile/poll.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { isPending } from "./_queue.ts";
import { pass, reasonOf, take } from "./_step.ts";

const REASON = new Error("enough");

function make(
  interval: number,
  options: Partial<PollOptions>,
  condition: (looks: number, controller: AbortController, clock: FakeClock) => unknown = () =>
    false,
) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const looks: number[] = [];
  const result = poll(
    () => {
      looks.push(clock.monotonic());
      return condition(looks.length, controller, clock);
    },
    interval,
    { signal: controller.signal, clock, ...options },
  );
  result.catch(() => {});
  return { clock, controller, looks, result };
}

Deno.test("L1: poll() gives what the condition gave, however small", async () => {
  for (const value of [true, 42, 0, "", { a: 1 }]) {
    const { clock, looks, result } = make(10, {}, (looks) => looks === 3 ? value : undefined);
    await pass(clock, 30);
    assertEquals([await result, looks, clock.timers], [value, [0, 10, 20], 0]);
  }
});

for (const [immediate, expected] of [[false, []], [true, [0]]] as const) {
  Deno.test(`L1: aborted already, ${immediate ? "" : "not "}immediate: ${expected.length} looks`, async () => {
    const { looks, result, clock } = make(5, { signal: AbortSignal.abort(REASON), immediate });
    assertEquals([await reasonOf(result), looks, clock.timers], [REASON, [...expected], 0]);
  });
}

Deno.test("L1: a condition that holds at once counts though the signal had aborted", async () => {
  const { result } = make(5, { signal: AbortSignal.abort(REASON) }, () => "there");
  assertEquals(await result, "there");
});

for (const immediate of [true, false]) {
  Deno.test(`L1: an abort in the fifth look is the last one: ${immediate}`, async () => {
    const { clock, looks, result } = make(1, { immediate }, (looks, controller) => {
      if (looks === 5) controller.abort(REASON);
    });
    await pass(clock, 10);
    assertEquals([await reasonOf(result), looks.length, clock.timers], [REASON, 5, 0]);
  });
}

Deno.test("L1: a look that holds counts though the abort came meanwhile", async () => {
  const { clock, controller, result } = make(5, {}, async (_looks, _controller, clock) => {
    await take(clock, 10);
    return "there";
  });
  controller.abort(REASON);
  await pass(clock, 10);
  assertEquals(await result, "there");
});

Deno.test("L1: what the condition throws ends the poll, also beside a result", async () => {
  const error = new Error("failed");
  const { clock, result, looks } = make(1, {}, (looks) => {
    if (looks === 3) throw error;
  });
  await pass(clock, 5);
  assertEquals([await reasonOf(result), looks.length, clock.timers], [error, 3, 0]);
});

for (const [immediate, expected] of [[false, []], [true, [0]]] as const) {
  Deno.test(`L1: 1 s, with 2 s from look to look, immediate: ${immediate}`, async () => {
    const { clock, looks, result } = make(2_000, { timeout: 1_000, immediate });
    await pass(clock, 999, 333);
    assert(await isPending(result));
    await pass(clock, 1);
    const error = await reasonOf(result);
    assertInstanceOf(error, DOMException);
    assertEquals([error.name, looks, clock.timers], ["TimeoutError", [...expected], 0]);
  });
}

Deno.test("L1: without immediate there is no look at 999 ms, and one at 1,000", async () => {
  const { clock, controller, looks } = make(1_000, { immediate: false });
  await pass(clock, 999, 333);
  assertEquals(looks, []);
  await pass(clock, 1);
  assertEquals(looks, [1_000]);
  controller.abort();
});

Deno.test("L1: the interval counts from the start of a look, and looks never overlap", async () => {
  const { clock, controller, looks, result } = make(
    10,
    {},
    (looks, _, clock) => take(clock, looks === 2 ? 25 : 4),
  );
  await pass(clock, 50);
  assertEquals(looks, [0, 10, 35, 45]);
  controller.abort(REASON);
  assertEquals(await reasonOf(result), REASON);
});

Deno.test("L2: an abort, a timeout and a failure can be told apart, and reach the condition", async () => {
  const owner = new AbortController();
  const clock = new FakeClock();
  const reasons: unknown[] = [];
  const hang = (signal: AbortSignal) =>
    new Promise<false>((_, reject) => {
      signal.addEventListener("abort", () => {
        reasons.push(signal.reason.name);
        reject(signal.reason);
      });
    });
  const late = reasonOf(poll(hang, 1, { signal: owner.signal, timeout: 100, clock }));
  clock.advance(100);
  assertEquals(((await late) as Error).name, "TimeoutError");
  const aborted = reasonOf(poll(hang, 1, { signal: owner.signal, timeout: 100, clock }));
  owner.abort();
  assertEquals(((await aborted) as Error).name, "AbortError");
  assertEquals([reasons, clock.timers], [["TimeoutError", "AbortError"], 0]);
});

Deno.test("L3: poll() leaves no timer, whatever ends it, and refuses odd durations", async () => {
  const { result, clock } = make(5, { timeout: 1e10 }, () => true);
  await result;
  assertEquals(clock.timers, 0);
  await assertRejects(() => make(-1, {}).result, RangeError, "interval");
  await assertRejects(() => make(1, { timeout: -1 }).result, RangeError, "timeout");
});
