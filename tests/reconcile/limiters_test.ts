import { assert, assertEquals, assertThrows } from "@std/assert";
import { exponentialLimiter } from "../../src/reconcile/exponential_limiter.ts";
import { fastSlowLimiter } from "../../src/reconcile/fast_slow_limiter.ts";
import { maxOfLimiter } from "../../src/reconcile/max_of_limiter.ts";
import { maxWaitLimiter } from "../../src/reconcile/max_wait_limiter.ts";
import type { RateLimiter } from "../../src/reconcile/rate_limiter.ts";
import { tokenBucketLimiter } from "../../src/reconcile/token_bucket_limiter.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";

function delays(limiter: RateLimiter, count: number, key = "one"): number[] {
  return Array.from({ length: count }, () => limiter.delay(key));
}

Deno.test("exponentialLimiter() doubles from 5 ms to 1,000 s, exactly", () => {
  assertEquals(delays(exponentialLimiter(), 20), [
    ...[5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 40_960],
    ...[81_920, 163_840, 327_680, 655_360, 1_000_000, 1_000_000],
  ]);
});

Deno.test("exponentialLimiter() counts each key until it is forgotten", () => {
  const limiter = exponentialLimiter({ base: 1, max: 1_000 });
  assertEquals(delays(limiter, 5), [1, 2, 4, 8, 16]);
  assertEquals([limiter.failures("one"), limiter.failures("two")], [5, 0]);
  assertEquals(delays(limiter, 2, "two"), [1, 2]);
  assertEquals(limiter.delay("one"), 32);
  limiter.forget("one");
  assertEquals([limiter.failures("one"), limiter.delay("one")], [0, 1]);
});

for (const max of [{ seconds: 1_000 }, { hours: 1_000 }]) {
  Deno.test(`exponentialLimiter() does not overflow: ${JSON.stringify(max)}`, () => {
    const limiter = exponentialLimiter({ base: 1, max });
    const last = delays(limiter, 5_000).at(-1);
    assertEquals(last, limiter.max);
  });
}

Deno.test("exponentialLimiter() waits a random part with jitter", () => {
  let random = 0.5;
  const limiter = exponentialLimiter({ jitter: "full" }, () => random);
  assertEquals(delays(limiter, 3), [2.5, 5, 10]);
  random = 0;
  assertEquals(limiter.delay("one"), 0);
});

Deno.test("fastSlowLimiter(): 3 times 5 ms, then 10 s, and it counts on", () => {
  const limiter = fastSlowLimiter();
  assertEquals(delays(limiter, 5), [5, 5, 5, 10_000, 10_000]);
  assertEquals(limiter.failures("one"), 5);
  limiter.forget("one");
  assertEquals([limiter.failures("one"), limiter.delay("one")], [0, 5]);
});

Deno.test("tokenBucketLimiter(): 100 at once, then 10 each second, for all keys together", () => {
  const clock = new FakeClock();
  const limiter = tokenBucketLimiter({ clock });
  assertEquals(delays(limiter, 100), Array(100).fill(0));
  assertEquals(["a", "b", "c"].map((key) => limiter.delay(key)), [100, 200, 300]);
  clock.advance(1_000);
  assertEquals(delays(limiter, 8), [0, 0, 0, 0, 0, 0, 0, 100]);
  clock.advance(3_600_000);
  assertEquals(delays(limiter, 101).slice(-2), [0, 100], "no more than a burst is saved up");
  limiter.forget("a");
  assertEquals(limiter.failures("a"), 0);
});

Deno.test("maxOfLimiter() takes the worst answer, and all of them count", () => {
  const fast = fastSlowLimiter({ slow: { seconds: 3 } });
  const limiter = maxOfLimiter(fast, exponentialLimiter({ base: 1 }));
  assertEquals(delays(limiter, 5), [5, 5, 5, 3_000, 3_000]);
  assertEquals([limiter.failures("one"), fast.failures("one")], [5, 5]);
  limiter.forget("one");
  assertEquals([limiter.failures("one"), fast.failures("one")], [0, 0]);
});

Deno.test("maxWaitLimiter() cuts the waits of another one: 100 times 5 ms, then 500 s", () => {
  const limiter = maxWaitLimiter(
    fastSlowLimiter({ attempts: 100, slow: { seconds: 1_000 } }),
    { seconds: 500 },
  );
  const all = delays(limiter, 200);
  assertEquals(all, [...Array(100).fill(5), ...Array(100).fill(500_000)]);
  assertEquals(limiter.failures("one"), 200);
  limiter.forget("one");
  assertEquals(limiter.delay("one"), 5);
});

Deno.test("limiters refuse what makes no sense", () => {
  assertThrows(() => exponentialLimiter({ base: -1 }), RangeError);
  assertThrows(() => fastSlowLimiter({ attempts: 0.5 }), RangeError, "received 0.5");
  assertThrows(() => tokenBucketLimiter({ rate: 0 }), RangeError, "received 0");
  assertThrows(() => tokenBucketLimiter({ burst: Infinity }), RangeError, "received Infinity");
  assertThrows(() => maxOfLimiter(), TypeError);
  assertThrows(() => maxWaitLimiter(fastSlowLimiter(), NaN), RangeError);
  assert(exponentialLimiter({ max: { minutes: 1 } }).max === 60_000);
});
