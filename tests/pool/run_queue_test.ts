import { assert, assertEquals } from "@std/assert";
import { RunQueue } from "../../src/pool/_run_queue.ts";

interface Item {
  readonly name: string;
  readonly priority: number;
  done: boolean;
  key: number;
}

const item = (name: string, priority = 0): Item => ({ name, priority, done: false, key: 0 });

function drain(queue: RunQueue<Item>): string[] {
  const names: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) names.push(next.name);
  return names;
}

Deno.test("runs of one priority come out in the order of coming", () => {
  const queue = new RunQueue<Item>();
  const names = Array.from({ length: 5_000 }, (_, index) => `${index}`);
  for (const name of names) queue.push(item(name), 0);
  assertEquals(queue.size, 5_000);
  assertEquals(drain(queue), names);
  assertEquals([queue.size, queue.peek(), queue.shift()], [0, undefined, undefined]);
});

Deno.test("a larger priority comes first", () => {
  const queue = new RunQueue<Item>();
  for (const priority of [0, 5, -1, 5, 2]) queue.push(item(`${priority}`, priority), 0);
  assertEquals(drain(queue), ["5", "5", "2", "0", "-1"]);
});

Deno.test("a run is overtaken only by those that come within its time", () => {
  const queue = new RunQueue<Item>();
  queue.push(item("old"), 0);
  queue.push(item("in time", 5), 4_999);
  queue.push(item("too late", 5), 5_001);
  assertEquals(drain(queue), ["in time", "old", "too late"]);
});

Deno.test("nothing waits for ever, however many of a larger priority come", () => {
  const queue = new RunQueue<Item>();
  queue.push(item("patient"), 0);
  let now = 0;
  for (; now < 100_000; now += 10) {
    queue.push(item("pushy", 3), now);
    if (queue.shift()!.name === "patient") break;
  }
  assert(now <= 3_010, `it waited for ${now} ms`);
});

Deno.test("what is done is passed over, and what is put back comes first", () => {
  const queue = new RunQueue<Item>();
  const items = ["a", "b", "c", "d"].map((name) => item(name));
  for (const each of items) queue.push(each, 0);
  items[1]!.done = true;
  queue.forget();
  assertEquals(queue.size, 3);
  const taken = [queue.shift()!, queue.shift()!];
  assertEquals(taken.map(({ name }) => name), ["a", "c"]);
  queue.unshift([...taken, item("x", 9)]);
  assertEquals(queue.size, 4);
  assertEquals(drain(queue).toSorted(), ["a", "c", "d", "x"]);
  queue.unshift(taken);
  queue.push(item("later", 100), 0);
  assertEquals(drain(queue), ["a", "c", "later"]);
});

Deno.test("priorities that are used once leave nothing behind", () => {
  const queue = new RunQueue<Item>();
  for (let round = 0; round < 2_000; round++) {
    queue.push(item("x", Math.random()), round);
    if (round % 2 === 1) queue.shift();
  }
  while (queue.shift() !== undefined);
  queue.push(item("last", 7), 0);
  assertEquals(drain(queue), ["last"]);
});
