import { assert, assertEquals, assertThrows } from "@std/assert";
import { backoffSteps, type BackoffStepsOptions } from "../../src/reconcile/backoff_steps.ts";
import { pollBackoff } from "../../src/reconcile/poll_backoff.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { settle } from "./_queue.ts";
import { pass, reasonOf } from "./_step.ts";

const REASON = new Error("enough");

function series(options: BackoffStepsOptions, count: number): number[] {
  const steps = backoffSteps(options);
  return Array.from({ length: count }, () => steps.next());
}

Deno.test("B1: waits grow until the steps are used up", () => {
  assertEquals(series({ initial: 1, steps: 3 }, 5), [1, 2, 4, 8, 8]);
  assertEquals(series({ initial: 1, steps: 0 }, 3), [1, 1, 1]);
  assertEquals(series({ initial: 1, steps: -5, factor: 10 }, 3), [1, 1, 1]);
  assertEquals(series({ initial: 0, steps: 5 }, 3), [0, 0, 0]);
});

Deno.test("B1: the longest wait ends the growth", () => {
  const steps = backoffSteps({ initial: 1, max: 3, steps: 10 });
  assertEquals([steps.next(), steps.next()], [1, 2]);
  assertEquals(steps.steps, 0);
  assertEquals([steps.next(), steps.next()], [3, 3]);
});

Deno.test("B1: jitter adds up to so many waits", () => {
  let seed = 1;
  const random = () => (seed = seed * 16_807 % 2_147_483_647) / 2_147_483_647;
  const waits = series({ initial: 10, steps: 6, jitter: 4, random }, 6);
  for (const [index, wait] of waits.entries()) {
    const base = 10 * 2 ** index;
    assert(wait > base && wait <= 5 * base, `${wait} for ${base}`);
  }
  assertEquals(series({ initial: 10, steps: 1, jitter: -1 }, 1), [10]);
});

Deno.test("B2: a series begins anew after it was not used for long enough", () => {
  const clock = new FakeClock();
  const steps = backoffSteps({ initial: 1, max: 10, resetAfter: 10, clock });
  const waits = Array.from({ length: 7 }, () => {
    const wait = steps.next();
    clock.advance(wait);
    return wait;
  });
  assertEquals(waits, [1, 2, 4, 8, 10, 10, 10]);
  clock.advance(1);
  assertEquals([steps.next(), steps.next()], [1, 2]);
});

Deno.test("B2: without growth all waits are the same, whatever happens", () => {
  const clock = new FakeClock();
  const steps = backoffSteps({ initial: 7, factor: 1, resetAfter: 0, clock });
  for (let index = 0; index < 5; index++) {
    assertEquals(steps.next(), 7);
    clock.advance(index);
  }
});

Deno.test("backoffSteps() does not overflow, and refuses what makes no sense", () => {
  const steps = backoffSteps({ initial: 1, jitter: 0.5 });
  for (let index = 0; index < 2_000; index++) assert(steps.next() >= 1);
  assertThrows(() => backoffSteps({ initial: 1, factor: 0.5 }), RangeError, "received 0.5");
  assertThrows(() => backoffSteps({ initial: -1 }), RangeError, "initial");
});

/** Looks with waits of 1, 2, 4 … ms on a clock that stands still. */
function make(steps: number, condition: (looks: number, controller: AbortController) => unknown) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const looks: number[] = [];
  const result = pollBackoff(
    () => {
      looks.push(clock.monotonic());
      return condition(looks.length, controller);
    },
    { initial: 1, steps },
    { signal: controller.signal, clock },
  );
  result.catch(() => {});
  return { clock, controller, looks, result };
}

for (const steps of [0, 1, 5]) {
  Deno.test(`B3: at most ${steps} looks, and no wait after the last one`, async () => {
    const { clock, looks, result } = make(steps, () => false);
    await pass(clock, steps === 5 ? 15 : 0);
    assertEquals(((await reasonOf(result)) as Error).name, "TimeoutError");
    assertEquals(looks, [0, 1, 3, 7, 15].slice(0, steps));
    assertEquals(clock.timers, 0);
  });
}

Deno.test("B3: it ends with the third look when that holds, and with an error at once", async () => {
  const holds = make(5, (looks) => looks === 3 && "there");
  await pass(holds.clock, 3);
  assertEquals([await holds.result, holds.looks], ["there", [0, 1, 3]]);
  const fails = make(5, () => Promise.reject(REASON));
  assertEquals([await reasonOf(fails.result), fails.looks.length], [REASON, 1]);
});

Deno.test("B3: no look after an abort, and none after one in the fourth", async () => {
  const before = pollBackoff(() => true, { initial: 1 }, { signal: AbortSignal.abort(REASON) });
  assertEquals(await reasonOf(before), REASON);
  const { clock, looks, result } = make(9, (looks, controller) => {
    if (looks === 4) controller.abort(REASON);
  });
  await pass(clock, 20);
  assertEquals([await reasonOf(result), looks.length, clock.timers], [REASON, 4, 0]);
});

Deno.test("B3: an abort ends the wait at once", async () => {
  const { clock, controller, result } = make(9, () => false);
  await settle();
  assertEquals(clock.timers, 1);
  controller.abort(REASON);
  assertEquals([await reasonOf(result), clock.timers], [REASON, 0]);
});

Deno.test("B3: steps and jitter that are no numbers to count with are refused", async () => {
  const { signal } = new AbortController();
  for (const odd of [{ steps: 2.5 }, { steps: NaN }, { jitter: NaN }, { jitter: Infinity }]) {
    const [name] = Object.keys(odd);
    assertThrows(() => backoffSteps({ initial: 1, ...odd }), RangeError, `as ${name}: received`);
    const reason = await reasonOf(pollBackoff(() => false, { initial: 1, ...odd }, { signal }));
    assert(reason instanceof RangeError);
  }
});
