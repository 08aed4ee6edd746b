import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { every } from "../../src/schedule/every.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { consistently, eventually, FakeClock, leakGuard } from "../../src/testing/mod.ts";
import { fixture } from "../support/fixture.ts";

/** So long that a test would not end if it had to wait for the next look. */
const NEVER = { hours: 1 };

Deno.test("eventually() gives what the check gives, and takes an exception or `false` for not yet", async (t) => {
  await using _guard = leakGuard(t);
  assertEquals(await eventually(() => 5), 5);
  const looks: unknown[] = [new Error("not yet"), false, Promise.resolve(false), 0];
  const value = await eventually(() => {
    const next = looks.shift();
    if (next instanceof Error) throw next;
    return next;
  }, { interval: 0 });
  assertEquals(value, 0);
});

Deno.test("eventually() looks after every event of a scheduler, and not only now and then", async (t) => {
  await using _guard = leakGuard(t);
  const clock = new FakeClock();
  await using scheduler = new Scheduler({ signal: new AbortController().signal, clock });
  const task = scheduler.add(fixture("echo"), { schedule: every(1_000) });
  clock.advance(1_000);
  await eventually(() => assertEquals(task.stats.outcomes.succeeded, 1), { interval: NEVER });
});

Deno.test("eventually() looks when it is woken, also in the midst of a look", async (t) => {
  await using _guard = leakGuard(t);
  const target = new EventTarget();
  let listening = 0;
  const on = (wake: () => void): Disposable => {
    target.addEventListener("news", wake);
    listening++;
    return {
      [Symbol.dispose]: () => {
        target.removeEventListener("news", wake);
        listening--;
      },
    };
  };
  let looks = 0;
  await eventually(() => {
    if (++looks === 1) target.dispatchEvent(new Event("news"));
    if (looks === 2) queueMicrotask(() => target.dispatchEvent(new Event("news")));
    return looks === 3;
  }, { interval: NEVER, timeout: NEVER, on });
  assertEquals([looks, listening], [3, 0]);
});

Deno.test("eventually() ends with the last error", async (t) => {
  await using _guard = leakGuard(t);
  const cause = new Error("still not");
  const error = await assertRejects(
    () => eventually(() => Promise.reject(cause), { timeout: 20, interval: 5 }),
    Error,
    "Cannot see it happen within 20 ms",
  );
  assertStrictEquals(error.cause, cause);
});

Deno.test("consistently() looks until the time is over, and fails at once", async (t) => {
  await using _guard = leakGuard(t);
  const started = performance.now();
  let looks = 0;
  await consistently(() => void looks++, { duration: 300, interval: 5 });
  assert(looks >= 2 && performance.now() - started >= 299);
  let holds = 3;
  await assertRejects(
    () => consistently(() => holds-- > 0, { duration: NEVER, interval: 1 }),
    Error,
    "at look 4: it gave false",
  );
});
