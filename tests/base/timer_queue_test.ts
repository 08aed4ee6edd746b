import { assert, assertEquals } from "@std/assert";
import { TimerQueue } from "../../src/base/timer_queue.ts";
import { captureReports } from "./_capture_reports.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";

/** A queue that notes what comes due, and calls `then` for each. */
function make(
  clock: FakeClock,
  then: (item: string, queue: TimerQueue<string>) => void = () => {},
) {
  const fired: string[] = [];
  const jumps: number[] = [];
  const queue: TimerQueue<string> = new TimerQueue<string>(clock, {
    due(item) {
      fired.push(item);
      then(item, queue);
    },
    jumped: (by) => void jumps.push(by),
  });
  return { queue, fired, jumps };
}

Deno.test("TimerQueue fires in order of due time, equal ones in the order they were set", () => {
  const clock = new FakeClock();
  const { queue, fired } = make(clock);
  for (const [item, due] of [["c", 30], ["a", 10], ["b1", 20], ["b2", 20], ["b3", 20]] as const) {
    queue.set(item, due, "monotonic");
  }
  clock.advance(9);
  assertEquals(fired, []);
  clock.advance(1);
  assertEquals(fired, ["a"]);
  clock.advance(100);
  assertEquals(fired, ["a", "b1", "b2", "b3", "c"]);
  assertEquals(queue.size, 0);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue hands over the item, its due time and its clock, and has let go of it", () => {
  const clock = new FakeClock("2030-01-01");
  const calls: unknown[] = [];
  const queue: TimerQueue<object> = new TimerQueue<object>(clock, {
    due: (...args) => void calls.push([...args, queue.size]),
  });
  const item = {};
  queue.set(item, clock.now() + 5, "wall");
  clock.advance(7);
  assertEquals(calls, [[item, Date.UTC(2030, 0, 1) + 5, "wall", 0]]);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue arms one timer for 10,000 items, and one for none", () => {
  const clock = new FakeClock();
  const { queue, fired } = make(clock);
  assertEquals(clock.timers, 1, "an empty queue shows in leak checks");
  for (let index = 0; index < 10_000; index++) {
    queue.set(`${index}`, (index * 7_919) % 10_000, index % 2 ? "wall" : "monotonic");
    assertEquals(clock.timers, 1);
  }
  clock.advance(10_000);
  assertEquals(fired.length, 10_000);
  assertEquals(clock.timers, 1);
  queue[Symbol.dispose]();
  assertEquals(clock.timers, 0);
});

Deno.test("TimerQueue sets an item for now, sooner than now and in the far future", () => {
  const clock = new FakeClock("2030-01-01");
  const { queue, fired } = make(clock);
  queue.set("now", clock.now(), "wall");
  queue.set("past", -5, "monotonic");
  queue.set("never", Infinity, "monotonic");
  queue.set("month", 30 * 86_400_000, "monotonic");
  assertEquals(fired, [], "never in the same turn");
  clock.advance(0);
  assertEquals(fired.toSorted(), ["now", "past"]);
  clock.advance(30 * 86_400_000 - 1);
  assertEquals(fired.length, 2);
  clock.advance(1);
  assertEquals(fired.length, 3);
  assertEquals(queue.size, 1);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue moves an item to a later time, an earlier one and the other clock", () => {
  const clock = new FakeClock();
  const { queue, fired } = make(clock);
  queue.set("x", 10, "monotonic");
  queue.set("x", 20, "monotonic");
  clock.advance(15);
  assertEquals(fired, []);
  queue.set("x", 17, "wall");
  assertEquals(queue.size, 1);
  clock.advance(1);
  assertEquals(fired, []);
  clock.advance(1);
  assertEquals(fired, ["x"]);
  clock.advance(100);
  assertEquals(fired, ["x"]);
  queue.set("y", 200, "monotonic");
  queue.delete("y");
  queue.delete("y");
  queue.delete("never there");
  clock.advance(1_000);
  assertEquals(fired, ["x"]);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue does not let an item that comes back at once starve the others", () => {
  for (const base of ["wall", "monotonic"] as const) {
    const clock = new FakeClock();
    let rounds = 0;
    // It is always the one that is due first.
    const { queue, fired } = make(clock, (item, queue) => {
      if (item === "greedy" && ++rounds < 100) queue.set("greedy", -1_000, base);
    });
    queue.set("greedy", -1_000, base);
    for (const item of ["a", "b", "c"]) queue.set(item, -5, base);
    queue.set("other clock", -5, base === "wall" ? "monotonic" : "wall");
    clock.advance(0);
    assertEquals(rounds, 100);
    assertEquals(fired.filter((item) => item !== "other clock").slice(0, 5), [
      "greedy",
      "a",
      "b",
      "c",
      "greedy",
    ]);
    assert(fired.indexOf("other clock") <= 5);
    queue[Symbol.dispose]();
  }
});

Deno.test("TimerQueue sets no timer in the middle of a round, and calls no handler in another", () => {
  const clock = new FakeClock();
  let rounds = 0;
  let inside = false;
  const { queue } = make(clock, (_, queue) => {
    assert(!inside, "a handler was called inside another one");
    inside = true;
    if (++rounds < 10) queue.set("again", -1, "monotonic");
    assertEquals(clock.timers, 0, "armed in the middle of a round");
    inside = false;
  });
  queue.set("again", 0, "monotonic");
  clock.advance(0);
  assertEquals(rounds, 10);
  assertEquals(clock.timers, 1);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue does not fire what a handler has deleted or moved, though it was due", () => {
  const clock = new FakeClock();
  const { queue, fired } = make(clock, (item, queue) => {
    if (item !== "first") return;
    queue.delete("deleted");
    queue.set("moved", 50, "monotonic");
    queue.set("changed", 60, "wall");
  });
  for (const item of ["first", "deleted", "moved", "changed", "last"]) {
    queue.set(item, 10, "monotonic");
  }
  clock.advance(10);
  assertEquals(fired, ["first", "last"]);
  assertEquals(queue.size, 2);
  clock.advance(50);
  assertEquals(fired, ["first", "last", "moved", "changed"]);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue counts what is due and not yet fired as waiting", () => {
  const clock = new FakeClock();
  const sizes: number[] = [];
  const { queue } = make(clock, (_, queue) => void sizes.push(queue.size));
  for (const item of ["a", "b", "c"]) queue.set(item, 1, "monotonic");
  clock.advance(1);
  assertEquals(sizes, [2, 1, 0]);
  queue[Symbol.dispose]();
});

Deno.test("TimerQueue stops in the middle of a round when a handler disposes of it", () => {
  for (const base of ["wall", "monotonic"] as const) {
    const clock = new FakeClock();
    const { queue, fired } = make(clock, (_, queue) => {
      assert(fired.length < 10, "it fires for ever");
      queue[Symbol.dispose]();
    });
    for (const item of ["a", "b", "c"]) queue.set(item, 1, base);
    queue.set("other clock", 1, "monotonic");
    clock.advance(1);
    assertEquals(fired, ["a"]);
    assertEquals([queue.size, clock.timers], [0, 0]);
    clock.advance(1_000_000);
    assertEquals(fired, ["a"]);
  }
});

Deno.test("TimerQueue does nothing any more after its disposal", () => {
  const clock = new FakeClock();
  const { queue, fired } = make(clock);
  queue.set("a", 5, "monotonic");
  queue[Symbol.dispose]();
  queue[Symbol.dispose]();
  queue.set("b", 5, "wall");
  queue.delete("a");
  clock.advance(100);
  assertEquals([fired.length, queue.size, clock.timers], [0, 0, 0]);
});

Deno.test("a handler that throws is reported, and silences nobody", () => {
  using stderr = captureReports();
  const clock = new FakeClock();
  const { queue, fired } = make(clock, (item) => {
    if (item === "bad") throw new Error("bad handler");
  });
  using _queue = queue;
  queue.set("bad", 1_000, "monotonic");
  queue.set("good", 1_000, "monotonic");
  queue.set("late", 2_000, "monotonic");
  clock.advance(1_000);
  clock.advance(1_000);
  assertEquals(fired, ["bad", "good", "late"]);
  assertEquals(stderr.reports.length, 1);
});
