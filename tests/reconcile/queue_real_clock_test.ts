import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../src/base/clock.ts";
import { WorkQueue } from "../../src/reconcile/work_queue.ts";
import { leakGuard } from "../../src/testing/leak_guard.ts";
import { testOwner } from "../../src/testing/test_owner.ts";

Deno.test("on the computer's clock, what is due comes in order and not too soon", async (t) => {
  await using _guard = leakGuard(t);
  await using owner = testOwner(t);
  const queue = new WorkQueue({ signal: owner.signal });
  const start = systemClock.monotonic();
  for (const delay of [15, 5, 10]) queue.addAfter(`${delay}`, delay);
  queue.add("now");
  const adding = systemClock.monotonic() - start;
  const keys: string[] = [];
  while (keys.length < 4) {
    using item = await queue.take(owner.signal);
    keys.push(item.key);
    const passed = systemClock.monotonic() - start;
    assert(passed >= (item.key === "now" ? 0 : Number(item.key)), `${passed} ms`);
    assert(item.waited >= 0 && item.waited <= passed);
  }
  // A thread that was set aside between two adds has made the later one due later.
  if (adding < 5) assertEquals(keys, ["now", "5", "10", "15"]);
  else assertEquals(keys.toSorted(), ["10", "15", "5", "now"]);
});

Deno.test("a delay counts from its add, also at the end of a turn that took long", async (t) => {
  await using _guard = leakGuard(t);
  await using owner = testOwner(t);
  const queue = new WorkQueue({ signal: owner.signal, minInterval: 20 });
  queue.add("first of the turn");
  const block = systemClock.monotonic() + 30;
  while (systemClock.monotonic() < block);
  const added = systemClock.monotonic();
  queue.addAfter("delayed", 10);
  queue.tryTake()!.done();
  queue.add("first of the turn");
  const delayed = await queue.take(owner.signal);
  assertEquals(delayed.key, "delayed");
  assert(systemClock.monotonic() - added >= 10);
  const again = await queue.take(owner.signal);
  assert(systemClock.monotonic() - added >= 20, "the interval counts from when it was taken");
  for (const item of [delayed, again]) item.done();
});

Deno.test("no key has waited for less than nothing", async (t) => {
  await using _guard = leakGuard(t);
  await using owner = testOwner(t);
  const queue = new WorkQueue({ signal: owner.signal });
  // Many within a millisecond, each added and taken in turns of their own.
  for (let round = 0; round < 1_000; round++) {
    queue.add("a");
    await Promise.resolve();
    using item = await queue.take(owner.signal);
    assert(item.waited >= 0, `${item.waited} ms in round ${round}`);
  }
});
