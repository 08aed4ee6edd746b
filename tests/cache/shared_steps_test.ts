import { assert, assertEquals } from "@std/assert";
import { BUCKET_WORDS, META, WAYS } from "../../src/cache/_shared_layout.ts";
import { FREE, OPEN, SEALED, STATE_MASK } from "../../src/cache/_shared_state.ts";
import type { SharedStore } from "../../src/cache/_shared_store.ts";
import type { FakeClock } from "../../src/testing/fake_clock.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { type Participant, participants } from "../support/shared_model.ts";
import { atStep, Killed } from "../support/shared_steps.ts";

guardTests();

const HOUR = 3_600_000;
type Value = number | undefined;

/** What a participant may do with the key "k". */
interface Deed {
  /** What it gave, where that is known. */
  do(part: Participant, mine: number, clock: FakeClock): Value | boolean;
  /** What it leaves of a value, and what it gives. */
  model(before: Value, mine: number): { after: Value; result: Value | boolean };
  /** Whether it may evict anything. */
  evicts?: boolean;
}

const LENGTHS = [0, 300, 290, 310];

const deeds: Record<string, Deed> = {
  set: {
    do: (part, mine) => void part.set("k", mine, LENGTHS[mine]!, HOUR),
    model: (_, mine) => ({ after: mine, result: undefined }),
  },
  get: {
    do: (part) => part.get("k")?.value,
    model: (before) => ({ after: before, result: before }),
  },
  delete: {
    do: (part) => part.delete("k"),
    model: (before) => ({ after: undefined, result: before !== undefined }),
  },
  clear: {
    do: (part) => void part.store.clear(),
    model: () => ({ after: undefined, result: undefined }),
  },
  "delete others and set": {
    do: (part, mine) => {
      for (let i = 0; i < 4; i++) part.delete(`x ${i}`);
      part.set("k", mine, LENGTHS[mine]!, HOUR);
    },
    model: (_, mine) => ({ after: mine, result: undefined }),
  },
  sweep: {
    do: (part) => void part.store.sweep(),
    model: (before) => ({ after: before, result: undefined }),
  },
  "set others": {
    do: (part, mine) => {
      for (let i = 0; i < 14; i++) part.set(`${mine} ${i}`, mine, 300, HOUR);
    },
    model: (before) => ({ after: before, result: undefined }),
    evicts: true,
  },
  "use all segments again": {
    do: (part, mine, clock) => {
      // Whoever does nothing for so long may be dead.
      clock.advance(20_000);
      for (let i = 0; i < 250; i++) part.set(`${mine} ${i}`, mine, 300, HOUR);
    },
    model: (before) => ({ after: before, result: undefined }),
    evicts: true,
  },
};

/** What there is before. */
const settings = {
  empty: () => {},
  there: (part: Participant) => part.set("k", 1, LENGTHS[1]!, HOUR),
  /** In the open segment of the other one, which is about to be freed. */
  expired: (_: Participant, other: Participant, clock: FakeClock) => {
    other.set("k", 1, LENGTHS[1]!, 1_000);
    clock.advance(2_000);
  },
  /** A slot leads to where the key comes next, and in the same bits of the epoch. */
  "left over": (part: Participant) => {
    const { count, units } = part.store.segments;
    const each = Math.floor(units / 21);
    part.set("k", 1, LENGTHS[1]!, HOUR);
    // Four more entries come before the key does.
    for (let i = 5; i < 8 * count * each; i++) part.set(`other ${i % 10}`, 9, 300, HOUR);
  },
  full: (part: Participant) => {
    part.set("k", 1, LENGTHS[1]!, HOUR);
    part.get("k");
    for (let i = 0; i < 200; i++) {
      part.set(`other ${i}`, 9, 300, HOUR);
      if (i % 5 === 0) part.get("k");
    }
  },
};

/** The number of slots that lead to a record of theirs. */
function indexed({ memory, index }: SharedStore): number {
  let records = 0;
  for (let bucket = 0; bucket < index.buckets; bucket++) {
    const first = memory.layout.index + bucket * BUCKET_WORDS;
    for (let slot = first; slot < first + WAYS; slot++) {
      const address = memory.words[slot]!;
      if (address !== 0 && index.ownMeta(slot, address) !== 0) records++;
    }
  }
  return records;
}

/** All keys that can be there, other than "k": each has the same value all the time. */
const others = [
  ...Array.from({ length: 4 }, (_, i): [string, number] => [`x ${i}`, 8]),
  ...Array.from({ length: 200 }, (_, i): [string, number] => [`other ${i}`, 9]),
  ...[2, 3].flatMap((who) =>
    Array.from({ length: 250 }, (_, i): [string, number] => [`${who} ${i}`, who])
  ),
];

function checkOthers(part: Participant): number {
  let found = 0;
  for (const [key, value] of others) {
    const actual = part.get(key);
    if (actual === undefined) continue;
    assertEquals(actual, { value, length: 300 });
    found++;
  }
  return found;
}

/** Lets two of them meet at each step of the first, with one table of buckets and another. */
function meet(
  first: string,
  second: string,
  setting: keyof typeof settings,
  buckets: number,
): number {
  const [a, b] = [deeds[first]!, deeds[second]!];
  const mayMiss = a.evicts || b.evicts || buckets === 2 ||
    setting === "full" || setting === "left over";
  let step = 0;
  for (;; step++) {
    const { parts, clock } = participants(2, { maxBytes: 64 * 1024, segmentShift: 12, buckets });
    const [one, two] = parts as [Participant, Participant];
    settings[setting](one, two, clock);
    for (let i = 0; i < 4; i++) one.set(`x ${i}`, 8, 300, HOUR);
    const before = one.get("k")?.value;
    let [resultA, resultB]: (Value | boolean)[] = [];
    const met = atStep(
      step,
      () => resultA = a.do(one, 2, clock),
      () => resultB = b.do(two, 3, clock),
    );
    if (!met) break;
    const where = `${first}, at step ${step} ${second}, ${setting}, ${buckets} buckets`;
    const [ab, ba] = [a.model(before, 2), b.model(before, 3)];
    const [afterAb, afterBa] = [b.model(ab.after, 3), a.model(ba.after, 2)];
    const orders = [
      [ab.result, afterAb.result, afterAb.after],
      [afterBa.result, ba.result, afterBa.after],
    ];
    const after = one.get("k")?.value;
    assertEquals(two.get("k")?.value, after, where);
    const isFine = orders.some((order) =>
      [resultA, resultB, after].every((actual, i) =>
        actual === order[i] || mayMiss && (actual === undefined || actual === false)
      )
    );
    assert(isFine, `${where}: ${JSON.stringify([before, resultA, resultB, after])}`);
    const found = checkOthers(two) + Number(after !== undefined);
    // What has expired counts as long as its segment is there.
    const counted = [found, setting === "expired" ? found + 1 : found];
    assert(counted.includes(one.store.size()), `${where}: ${one.store.size()}, not ${counted}`);
    assert(counted.includes(indexed(one.store)), `${where}: each has one slot`);
    one.set("k", 1, 100, HOUR);
    assertEquals(two.get("k"), { value: 1, length: 100 }, where);
    assertEquals(two.delete("k"), true, where);
    assertEquals(one.get("k"), undefined, where);
  }
  return step;
}

for (const setting of ["empty", "there", "expired", "left over", "full"] as const) {
  Deno.test(`two threads meet at any step as if one came after the other: ${setting}`, () => {
    let steps = 0;
    // Where it takes long to come there, only what it is there for.
    const firsts = setting === "left over" ? ["set"] : Object.keys(deeds);
    for (const first of firsts) {
      if (first === "use all segments again") continue;
      for (const second of Object.keys(deeds)) {
        for (const buckets of setting === "full" ? [64] : [2, 64]) {
          steps += meet(first, second, setting, buckets);
        }
      }
    }
    assert(steps > 100, `${steps} steps`);
  });
}

Deno.test("a thread may die at any step: the others go on, and its memory comes back", () => {
  let deaths = 0;
  for (const [name, deed] of Object.entries(deeds)) {
    if (name === "use all segments again") continue;
    for (const setting of ["empty", "there", "expired", "full"] as const) {
      for (let step = 0;; step++) {
        const where = `${name}, killed at step ${step}, ${setting}`;
        const { parts, clock } = participants(2, {
          maxBytes: 64 * 1024,
          segmentShift: 12,
          buckets: 64,
        });
        const [one, two] = parts as [Participant, Participant];
        settings[setting](one, two, clock);
        for (let i = 0; i < 4; i++) one.set(`x ${i}`, 8, 300, HOUR);
        const before = one.get("k")?.value;
        let met = false;
        try {
          met = atStep(step, () => deed.do(one, 2, clock), () => {
            throw new Killed();
          });
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
          met = true;
        }
        if (!met) break;
        deaths++;
        const after = two.get("k")?.value;
        assert([before, deed.model(before, 2).after, undefined].includes(after), where);
        if (name === "get" || name === "sweep") assertEquals(after, before, where);
        checkOthers(two);
        const { count } = two.store.segments;
        assert(Math.abs(two.store.size() - indexed(two.store)) <= 1, where);
        two.set("k", 3, 100, HOUR);
        assertEquals(two.get("k"), { value: 3, length: 100 }, where);
        assertEquals(two.delete("k"), true, where);
        assertEquals(two.get("k"), undefined, where);
        for (let i = 0; i < 10; i++) {
          clock.advance(10_000);
          two.store.sweep();
        }
        const { memory } = two.store;
        const states = Array.from(
          { length: count },
          (_, segment) => memory.words[memory.header(segment) + META]! & STATE_MASK,
        );
        assert(
          states.every((state) => [FREE, OPEN, SEALED].includes(state)),
          `${where}: ${states}`,
        );
        clock.advance(HOUR + 100);
        two.store.sweep();
        for (let segment = 0; segment < count; segment++) {
          assertEquals(memory.words[memory.header(segment) + META]! & STATE_MASK, FREE, where);
        }
      }
    }
  }
  assert(deaths > 200, `${deaths} deaths`);
});

Deno.test("a thread that dies when it has set a key that another one was setting leaves no older value behind", () => {
  let deaths = 0;
  for (let step = 0, met = true; met; step++) {
    for (let more = 0; more < 24; more++) {
      const where = `step ${step}, killed ${more >> 1} steps later`;
      const { parts, clock } = participants(2, {
        maxBytes: 64 * 1024,
        segmentShift: 12,
        buckets: 2,
      });
      const [one, two] = parts as [Participant, Participant];
      for (let i = 0; i < 4; i++) one.set(`x ${i}`, 8, 300, HOUR);
      try {
        met = atStep(step, () => one.set("k", 2, LENGTHS[2]!, HOUR), (later) => {
          deeds["delete others and set"]!.do(two, 3, clock);
          later(more >> 1, () => {
            throw new Killed();
          });
        });
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        deaths++;
      }
      if (more % 2 === 0) {
        two.delete("k");
        assertEquals(two.get("k"), undefined, where);
        continue;
      }
      two.set("k", 1, 100, HOUR);
      assertEquals(two.get("k")?.value, 1, where);
      const { index } = two.store;
      const sought = { hash: two.store.hash, length: 1, bytes: new TextEncoder().encode("k") };
      const first = index.find(sought);
      assert(first >= 0 && index.find(sought, first) < 0, `${where}: there are two of it`);
    }
  }
  assert(deaths > 50, `${deaths} deaths`);
});
