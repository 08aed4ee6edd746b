import { assertEquals } from "@std/assert";
import { reconcileState } from "../../src/reconcile/reconcile_state.ts";
import { UncertainError } from "../../src/reconcile/uncertain_error.ts";
import { FakeClock, guardTests } from "../../src/testing/mod.ts";
import { randomFrom } from "../support/random_from.ts";

guardTests();

const KEYS = ["a", "b", "c", "d", "e", "f"];

/** A world in which every operation may fail, break off before, in or after its effect, and take turns. */
class World {
  readonly there = new Map<string, number>();
  readonly desired = new Map<string, number>();
  isComplete = true;
  isCalm = false;
  /** Kept, since nothing that an operation or a sink throws comes back here. */
  readonly problems: string[] = [];
  readonly #busy = new Set<string>();
  readonly #random: (below: number) => number;

  constructor(random: (below: number) => number) {
    this.#random = random;
    for (const key of KEYS) if (random(2) === 0) this.there.set(key, random(3));
  }

  change(): void {
    const key = KEYS[this.#random(KEYS.length)]!;
    if (this.#random(3) === 0) this.desired.delete(key);
    else this.desired.set(key, this.#random(3));
  }

  /** Something happens that is no operation. */
  happen(): void {
    const key = KEYS[this.#random(KEYS.length)]!;
    if (this.#random(2) === 0) this.there.delete(key);
    else this.there.set(key, this.#random(3));
  }

  async operate(key: string, effect: () => void): Promise<void> {
    if (this.#busy.has(key)) this.problems.push(`two operations on ${key} at once`);
    this.#busy.add(key);
    try {
      const luck = this.isCalm ? 9 : this.#random(10);
      for (let turns = this.#random(4); turns > 0; turns--) await turn();
      if (luck === 0) throw new Error("refused");
      if (luck === 1) throw new UncertainError(key, "lost before it was done");
      effect();
      await turn();
      if (luck === 2) throw new UncertainError(key, "lost after it was done");
      if (luck === 3) throw new DOMException("it took too long", "TimeoutError");
    } finally {
      this.#busy.delete(key);
    }
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

async function run(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const world = new World(random);
  const clock = new FakeClock();
  let wasComplete = false;
  const reconciler = reconcileState<number, number>({
    clock,
    concurrency: 1 + random(4),
    desired: () => new Map(world.desired),
    complete: () => wasComplete = world.isComplete,
    async actual() {
      const there = [...world.there];
      // What is handed over may be old by then.
      for (let turns = random(4); turns > 0; turns--) await turn();
      return there;
    },
    matches: (wanted, there) => wanted === there,
    async apply(key, wanted) {
      await world.operate(key, () => world.there.set(key, wanted));
      return wanted;
    },
    remove: (key) => world.operate(key, () => world.there.delete(key)),
    onEvent(event) {
      if (event.type !== "state-operation-started") return;
      const isWanted = world.desired.has(event.key);
      const isRight = event.operation === "apply" ? isWanted : wasComplete && !isWanted;
      if (!isRight) world.problems.push(`wrong to ${event.operation} ${event.key}`);
    },
  });
  // It is stopped in the midst of everything, and takes over what it left behind.
  for (let life = 0; life < 3; life++) {
    const owner = new AbortController();
    const running = reconciler.run(owner.signal);
    for (let step = 0; step < 20; step++) {
      if (random(2) === 0) world.change();
      if (random(3) === 0) {
        world.happen();
        reconciler.refresh();
      }
      world.isComplete = random(4) > 0;
      await turn();
      clock.advance(random(2) === 0 ? 100 : 1_000);
    }
    if (life === 2) {
      world.isComplete = world.isCalm = true;
      for (let step = 0; step < 60; step++) {
        await turn();
        clock.advance(step < 40 ? 100 : 122_001);
      }
      assertEquals(world.there, world.desired, `seed ${seed}`);
    }
    owner.abort();
    await running;
  }
  assertEquals([world.problems, clock.timers], [[], 0], `seed ${seed}`);
}

Deno.test("whatever breaks off, in the end there is what is desired, and nothing was lost on the way", async () => {
  const first = Math.floor(Math.random() * 1e6);
  for (let seed = first; seed < first + 8; seed++) await run(seed);
});
