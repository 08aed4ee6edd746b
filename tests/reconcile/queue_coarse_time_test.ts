import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../src/base/clock.ts";
import { CoarseTime } from "../../src/reconcile/_queue_coarse_time.ts";
import { FakeClock, guardTests } from "../../src/testing/mod.ts";

guardTests();

Deno.test("on the computer's clock, coarse time never runs ahead, goes on, and never goes back", () => {
  const coarse = new CoarseTime(systemClock);
  let last = 0;
  let different = 0;
  for (const end = systemClock.monotonic() + 20; last < end;) {
    const before = systemClock.monotonic();
    const now = coarse.now();
    assert(now <= systemClock.monotonic(), "ahead");
    assert(now >= last, "back");
    // By one, and what the two clocks do not agree about.
    assert(before - now < 1.5, `${before - now} ms behind`);
    if (now !== last) different++;
    last = now;
  }
  assert(different < 40, `${different} different times in 20 ms`);
});

Deno.test("another clock is asked each time", () => {
  const clock = new FakeClock();
  const coarse = new CoarseTime(clock);
  const first = coarse.now();
  clock.advance(0.25);
  assertEquals(coarse.now() - first, 0.25);
});
