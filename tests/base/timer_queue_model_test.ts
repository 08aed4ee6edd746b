import { assert, assertEquals } from "@std/assert";
import { DueHeap, type HeapEntry } from "../../src/base/_heap.ts";
import { type TimeBase, TimerQueue } from "../../src/base/timer_queue.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { randomFrom } from "../support/random_from.ts";

interface Waiting {
  item: number;
  due: number;
  base: TimeBase;
  order: number;
}

/** The same, with an array that is searched each time. Both clocks show the same time. */
class Model {
  waiting: Waiting[] = [];
  #order = 0;

  set(item: number, due: number, base: TimeBase): void {
    this.delete(item);
    this.waiting.push({ item, due, base, order: this.#order++ });
  }

  delete(item: number): void {
    this.waiting = this.waiting.filter((each) => each.item !== item);
  }

  take(until: number): string[] {
    const due = this.waiting.filter((each) => each.due <= until);
    this.waiting = this.waiting.filter((each) => each.due > until);
    return due.map(({ item, due, base }) => `${item} ${due} ${base}`);
  }
}

Deno.test("TimerQueue does what a naive list does, through 60,000 random steps", () => {
  for (let seed = 1; seed <= 6; seed++) {
    const random = randomFrom(seed);
    const clock = new FakeClock();
    const model = new Model();
    const fired: string[] = [];
    let last = -Infinity;
    const queue = new TimerQueue<number>(clock, {
      due(item, due, base) {
        assert(due <= clock.monotonic(), "early");
        // A due time in the past fires at once, whatever was fired before it.
        if (base === "monotonic" && due > clock.monotonic() - 1) {
          assert(due >= last, "out of order");
          last = due;
        }
        fired.push(`${item} ${due} ${base}`);
      },
    });
    for (let step = 0; step < 10_000; step++) {
      const item = random(300);
      const kind = random(10);
      if (kind < 6) {
        const due = clock.monotonic() - 50 + random(1_000);
        const base = random(2) ? "wall" : "monotonic";
        queue.set(item, due, base);
        model.set(item, due, base);
      } else if (kind < 8) {
        queue.delete(item);
        model.delete(item);
      } else {
        clock.advance(random(40));
        assertEquals(fired.splice(0).toSorted(), model.take(clock.monotonic()).toSorted());
      }
      assertEquals(queue.size, model.waiting.length);
      assertEquals(clock.timers, 1);
    }
    clock.advance(2_000);
    assertEquals(fired.splice(0).toSorted(), model.take(clock.monotonic()).toSorted());
    assertEquals(queue.size, 0);
    queue[Symbol.dispose]();
  }
});

/** A due time that counts how often it is compared. */
class CountedEntry implements HeapEntry {
  static reads = 0;
  index = -1;
  readonly #due: number;
  constructor(due: number, readonly order: number) {
    this.#due = due;
  }
  get due(): number {
    CountedEntry.reads++;
    return this.#due;
  }
}

Deno.test("DueHeap gives 100,000 entries in order, moved and removed, with O(log n) comparisons", () => {
  const random = randomFrom(7);
  const heap = new DueHeap<CountedEntry>();
  const entries: CountedEntry[] = [];
  const count = 100_000;
  CountedEntry.reads = 0;
  for (let order = 0; order < count; order++) {
    const entry = new CountedEntry(random(50_000), order);
    entries.push(entry);
    heap.push(entry);
  }
  for (let index = 0; index < count; index += 3) heap.remove(entries[index]!);
  const expected = entries.filter((_, index) => index % 3 !== 0)
    .toSorted((a, b) => a.due - b.due || a.order - b.order);
  const sorting = CountedEntry.reads;
  for (const entry of expected) {
    assert(heap.peek() === entry, "out of order");
    heap.remove(entry);
    assertEquals(entry.index, -1);
  }
  assertEquals(heap.peek(), undefined);
  assertEquals([...{ [Symbol.iterator]: () => heap[Symbol.iterator]() }], []);
  // Four reads a comparison at most, two comparisons a level, 17 levels.
  const draining = CountedEntry.reads - sorting;
  assert(draining < expected.length * 17 * 2 * 4, `${draining} reads`);
});

Deno.test("DueHeap removes the last entry, the only one and one whose place goes up", () => {
  const entry = (due: number, order: number): HeapEntry => ({ due, order, index: -1 });
  const heap = new DueHeap<HeapEntry>();
  const only = entry(1, 0);
  heap.push(only);
  heap.remove(only);
  assertEquals(heap.peek(), undefined);
  // The last entry (3) takes the place of 11 below 10, and has to rise above it.
  const entries = [1, 10, 2, 11, 12, 4, 3].map(entry);
  for (const each of entries) heap.push(each);
  heap.remove(entries[3]!);
  const order: number[] = [];
  for (let next = heap.peek(); next !== undefined; next = heap.peek()) {
    order.push(next.due);
    heap.remove(next);
  }
  assertEquals(order, [1, 2, 3, 4, 10, 12]);
});

Deno.test("TimerQueue sets 100,000 items that all come first without keeping old timers", () => {
  const clock = new FakeClock();
  let fired = 0;
  const queue = new TimerQueue<number>(clock, { due: () => void fired++ });
  for (let item = 0; item < 100_000; item++) queue.set(item, 100_000 - item, "monotonic");
  assertEquals(clock.timers, 1);
  clock.advance(100_000);
  assertEquals(fired, 100_000);
  queue[Symbol.dispose]();
});
