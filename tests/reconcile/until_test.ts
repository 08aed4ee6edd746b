import { assert, assertEquals, assertRejects } from "@std/assert";
import { until, type UntilOptions } from "../../src/reconcile/until.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { isPending, settle } from "./_queue.ts";
import { pass, reasonOf, take } from "./_step.ts";

const REASON = new Error("enough");

/** A loop on a clock that stands still; `starts` says when each call began. */
function make(
  period: number,
  options: Partial<UntilOptions> = {},
  work: (controller: AbortController, clock: FakeClock) => unknown = () => {},
) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const starts: number[] = [];
  const loop = until(
    () => {
      starts.push(clock.monotonic());
      return work(controller, clock);
    },
    period,
    { signal: controller.signal, clock, ...options },
  );
  loop.catch(() => {});
  return { clock, controller, starts, loop };
}

Deno.test("U1: until() calls first and then waits, and a period of 0 goes on as fast as it can", async () => {
  const { clock, controller, starts, loop } = make(10);
  assertEquals(starts, [0]);
  await pass(clock, 25);
  assertEquals(starts, [0, 10, 20]);
  controller.abort(REASON);
  assertEquals([await reasonOf(loop), clock.timers], [REASON, 0]);

  let calls = 0;
  const tight = make(0, {}, (controller) => void (++calls === 5 && controller.abort(REASON)));
  while (await isPending(tight.loop)) tight.clock.advance(0);
  assertEquals(tight.starts, [0, 0, 0, 0, 0]);
});

for (const immediate of [true, false]) {
  for (const sliding of [true, false]) {
    Deno.test(`U1: after an abort there is no call: ${JSON.stringify({ immediate, sliding })}`, async () => {
      const { starts, loop } = make(5, { signal: AbortSignal.abort(REASON), immediate, sliding });
      assertEquals(await reasonOf(loop), REASON);
      assertEquals(starts, []);
    });
  }
}

Deno.test("U2: an abort during a call or a wait ends it at once, without another call", async () => {
  const inCall = make(30_000, {}, (controller) => controller.abort(REASON));
  assertEquals([await reasonOf(inCall.loop), inCall.starts.length], [REASON, 1]);
  assertEquals(inCall.clock.timers, 0);

  const inWait = make(30_000);
  await settle();
  inWait.controller.abort(REASON);
  assertEquals([await reasonOf(inWait.loop), inWait.starts.length], [REASON, 1]);
  assertEquals(inWait.clock.timers, 0);
});

Deno.test("U2: a call that runs is waited for", async () => {
  const { clock, controller, loop } = make(5, {}, (_, clock) => take(clock, 100));
  controller.abort(REASON);
  assert(await isPending(loop));
  clock.advance(100);
  assertEquals(await reasonOf(loop), REASON);
});

for (
  const [sliding, immediate, expected] of [
    [true, true, [0, 400, 800]],
    [true, false, [200, 600]],
    [false, true, [0, 200, 400, 600, 800]],
    [false, false, [200, 400, 600, 800]],
  ] as const
) {
  Deno.test(`U3: calls of 200 ms, a period of 200 ms, 1 s: ${JSON.stringify({ sliding, immediate })}`, async () => {
    const options = { sliding, immediate };
    const { clock, controller, starts, loop } = make(200, options, (_, clock) => take(clock, 200));
    await pass(clock, 999);
    controller.abort(REASON);
    await pass(clock, 200);
    assertEquals(await reasonOf(loop), REASON);
    assertEquals(starts, [...expected]);
  });
}

Deno.test("U3: after a call that was too long the next one comes at once, and they never overlap", async () => {
  let running = 0;
  const { clock, controller, starts, loop } = make(10, { sliding: false }, async (_, clock) => {
    assertEquals(++running, 1);
    await take(clock, 35);
    running--;
  });
  await pass(clock, 71);
  assertEquals(starts, [0, 35, 70]);
  controller.abort(REASON);
  await pass(clock, 35);
  await reasonOf(loop);
});

Deno.test("U4: jitter adds a random part of the period; a negative factor adds none", async () => {
  const jittered = make(1_000, { jitter: 1, random: () => 0.5 });
  await pass(jittered.clock, 3_000, 100);
  assertEquals(jittered.starts, [0, 1_500, 3_000]);
  jittered.controller.abort();

  const plain = make(1_000, { jitter: -30, random: () => 0.5 });
  await pass(plain.clock, 2_000, 100);
  assertEquals(plain.starts, [0, 1_000, 2_000]);
  plain.controller.abort();
});

Deno.test("U5: what a call throws ends the loop, unless there is an onError", async () => {
  const error = new Error("failed");
  const ends = make(5, {}, () => Promise.reject(error));
  assertEquals([await reasonOf(ends.loop), ends.starts.length], [error, 1]);

  const errors: unknown[] = [];
  let calls = 0;
  const goesOn = make(5, { onError: (error) => errors.push(error) }, () => {
    if (++calls < 3) throw error;
  });
  await pass(goesOn.clock, 12);
  assertEquals([goesOn.starts.length, errors], [3, [error, error]]);
  goesOn.controller.abort(REASON);
  assertEquals(await reasonOf(goesOn.loop), REASON);
});

Deno.test("U6: when the timer and the abort come together, there is no call", async () => {
  const { clock, controller, starts, loop } = make(10);
  await settle();
  clock.advance(10);
  controller.abort(REASON);
  assertEquals([await reasonOf(loop), starts], [REASON, [0]]);
});

Deno.test("until() refuses a period that is out of range", async () => {
  await assertRejects(() => make(-1).loop, RangeError, "period");
  for (const jitter of [NaN, Infinity]) {
    await assertRejects(() => make(1, { jitter }).loop, RangeError, "as jitter: received");
  }
});
