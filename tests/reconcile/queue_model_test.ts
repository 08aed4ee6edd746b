import { assertEquals } from "@std/assert";
import fc from "npm:fast-check@4";
import type { WorkItem } from "../../src/reconcile/work_item.ts";
import type { WorkQueue } from "../../src/reconcile/work_queue.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { makeQueue } from "./_queue.ts";

const AGEING = 100;

interface Waiting {
  priority: number;
  /** When it is ready, or since when. */
  at: number;
  /** When it would be, were it not put off. */
  asked: number;
  /** Since when it stands at the end of its line; `undefined`: it is delayed. */
  turn?: number | undefined;
}

/** A clock whose timers may be late, as they are when the event loop is busy. */
class LateClock extends FakeClock {
  #late = 0;

  override now(): number {
    return super.now() + this.#late;
  }

  override monotonic(): number {
    return super.monotonic() + this.#late;
  }

  /** Time goes on, and no timer fires. */
  blockFor(milliseconds: number): void {
    this.#late += milliseconds;
  }

  /** All timers fire that should have by now. */
  catchUp(): void {
    const late = this.#late;
    this.#late = 0;
    this.stall(late);
  }
}

/** The rules of a queue, in the plainest words: no heap, no lanes, and all is looked through each time. */
class Model {
  readonly waiting = new Map<string, Waiting>();
  readonly inHand = new Map<string, Waiting | undefined>();
  readonly deferral = new Map<string, number>();
  readonly interval = new Map<string, number>();
  #turn = 0;

  constructor(readonly minInterval: number) {}

  add(key: string, priority: number, delay: number, now: number): void {
    if (this.waiting.get(key)?.turn === undefined) this.promote(now);
    const isInHand = this.inHand.has(key);
    const known = isInHand ? this.inHand.get(key) : this.waiting.get(key);
    const next: Waiting = known ?? { priority, at: Infinity, asked: Infinity };
    if (known !== undefined && priority > known.priority) {
      next.priority = priority;
      if (next.turn !== undefined) next.turn = this.#turn++;
    }
    if (next.turn !== undefined) return;
    next.asked = Math.min(next.asked, now + delay);
    if (isInHand) {
      next.at = next.asked;
      this.inHand.set(key, next);
    } else if (Math.max(next.asked, this.#floor(key)) < next.at) {
      this.#settle(key, next, now);
    }
  }

  defer(key: string, delay: number, now: number): void {
    const before = this.#floor(key);
    const waiting = this.waiting.get(key);
    const isNew = !(this.deferral.get(key)! > now);
    if (isNew && (delay === 0 || now + delay <= before)) return;
    // What it had to wait for, and has, stays so when what is said now is taken back.
    if (isNew) this.interval.set(key, before);
    this.deferral.set(key, delay === 0 ? -Infinity : now + delay);
    if (waiting === undefined || this.#floor(key) === before) return;
    if (isNew) waiting.asked = waiting.at;
    waiting.asked = Math.max(waiting.asked, now);
    waiting.turn = undefined;
    this.#settle(key, waiting, now);
  }

  take(now: number): [key: string, priority: number] | undefined {
    this.promote(now);
    const keyOf = ({ at, priority }: Waiting) => at - priority * AGEING;
    const heads = new Map<number, [string, Waiting]>();
    for (const [key, one] of this.waiting) {
      const head = heads.get(one.priority);
      if (one.turn === undefined) continue;
      if (head === undefined || one.turn < head[1].turn!) heads.set(one.priority, [key, one]);
    }
    const [first] = [...heads.values()]
      .sort(([, a], [, b]) => keyOf(a) - keyOf(b) || b.priority - a.priority);
    if (first === undefined) return undefined;
    this.waiting.delete(first[0]);
    this.inHand.set(first[0], undefined);
    this.interval.set(first[0], now + this.minInterval);
    return [first[0], first[1].priority];
  }

  done(key: string, now: number): void {
    const again = this.inHand.get(key);
    this.inHand.delete(key);
    if (again !== undefined) this.#settle(key, again, now);
  }

  promote(now: number): void {
    const due = [...this.waiting.values()]
      .filter(({ turn, at }) => turn === undefined && at <= now)
      .sort((a, b) => a.at - b.at);
    for (const one of due) one.turn = this.#turn++;
  }

  ready(): string[] {
    return [...this.waiting].filter(([, { turn }]) => turn !== undefined).map(([key]) => key)
      .sort();
  }

  #floor(key: string): number {
    return Math.max(this.deferral.get(key) ?? -Infinity, this.interval.get(key) ?? -Infinity);
  }

  #settle(key: string, one: Waiting, now: number): void {
    // In the order of settling, as ties of one moment are served.
    this.waiting.delete(key);
    this.waiting.set(key, one);
    if (one.turn !== undefined) return;
    one.at = Math.max(one.asked, this.#floor(key));
    if (one.at <= now) one.turn = this.#turn++;
  }
}

const key = fc.constantFrom("a", "b", "c", "d", "e");
const command = fc.oneof(
  fc.record({
    do: fc.constant("add" as const),
    key,
    priority: fc.integer({ min: -2, max: 2 }),
    delay: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
  }),
  fc.record({ do: fc.constant("take" as const) }),
  fc.record({ do: fc.constant("done" as const), index: fc.nat(4) }),
  fc.record({ do: fc.constant("defer" as const), key, delay: fc.integer({ min: 0, max: 300 }) }),
  fc.record({ do: fc.constant("block" as const), by: fc.integer({ min: 1, max: 150 }) }),
  fc.record({ do: fc.constant("catch up" as const) }),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** A key is put off once more when what it had to wait for has passed, and that is taken back. */
const TAKEN_BACK: Command[] = [
  { do: "add", key: "b", priority: 0, delay: 0 },
  { do: "take" },
  { do: "defer", key: "b", delay: 121 },
  { do: "add", key: "b", priority: 0, delay: 0 },
  { do: "block", by: 121 },
  { do: "defer", key: "b", delay: 1 },
  { do: "defer", key: "b", delay: 0 },
  { do: "done", index: 0 },
];

/** Does one thing to both, and compares what they say. */
function apply(
  step: Command,
  queue: WorkQueue,
  clock: LateClock,
  model: Model,
  items: WorkItem<string>[],
): void {
  const now = clock.monotonic();
  if (step.do === "add") {
    queue.add(step.key, { priority: step.priority, after: step.delay });
    model.add(step.key, step.priority, step.delay, now);
  } else if (step.do === "defer") {
    queue.defer(step.key, step.delay);
    model.defer(step.key, step.delay, now);
  } else if (step.do === "take") {
    const item = queue.tryTake();
    assertEquals(item && [item.key, item.priority], model.take(now));
    if (item !== undefined) items.push(item);
  } else if (step.do === "done") {
    const [item] = items.splice(step.index % Math.max(1, items.length), 1);
    item?.done();
    if (item !== undefined) model.done(item.key, now);
  } else if (step.do === "block") {
    clock.blockFor(step.by);
  } else {
    clock.catchUp();
    model.promote(now);
  }
}

function agree(queue: WorkQueue, clock: LateClock, model: Model): void {
  const { queued, delayed, inHand } = queue.snapshot();
  assertEquals(queued.map(({ key }) => key).sort(), model.ready());
  assertEquals([queue.size, queue.delayed, queue.inHand], [
    queued.length,
    model.waiting.size - queued.length,
    model.inHand.size,
  ]);
  for (const { key, since } of queued) assertEquals(since, model.waiting.get(key)!.at);
  for (const { key, due } of delayed) assertEquals(due, model.waiting.get(key)!.at);
  for (const { key, again } of inHand) assertEquals(again, model.inHand.get(key) !== undefined);
  if (queue.delayed > 0) assertEquals(clock.timers, 1);
}

for (const minInterval of [0, 120]) {
  Deno.test(`a queue does what its rules say, with an interval of ${minInterval}`, () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60, size: "max" }), (steps) => {
        const clock = new LateClock();
        using test = makeQueue({ ageing: AGEING, minInterval, clock });
        const model = new Model(minInterval);
        const items: WorkItem<string>[] = [];
        for (const step of steps) {
          apply(step, test.queue, clock, model, items);
          agree(test.queue, clock, model);
        }
      }),
      { numRuns: 1_000, examples: [[TAKEN_BACK]] },
    );
  });
}
