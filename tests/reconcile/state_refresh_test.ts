import { assert, assertEquals } from "@std/assert";
import { reconcileState } from "../../src/reconcile/reconcile_state.ts";
import { UncertainError } from "../../src/reconcile/uncertain_error.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { isPending } from "./_queue.ts";
import { TestState } from "./_state.ts";

guardTests();

/** A world that can be seen, changed by hand, and looked at as slowly as a test wants. */
class TestWorld extends TestState {
  readonly there: Map<string, number>;
  /** The looks that are under way: each ends when it is told. */
  readonly looks: PromiseWithResolvers<void>[];
  /** Applications are under way until this is called. */
  letApply: () => void = () => {};
  isSlow = false;

  constructor(options: { refresh?: number; slowApply?: boolean } = {}) {
    const there = new Map<string, number>();
    const looks: PromiseWithResolvers<void>[] = [];
    super({
      ...(options.refresh === undefined ? {} : { refresh: options.refresh }),
      actual: async () => {
        // The first look comes before this has been made.
        await Promise.resolve();
        const seen = [...there];
        if (this.isSlow) {
          looks.push(Promise.withResolvers());
          await looks.at(-1)!.promise;
        }
        return seen;
      },
      apply: async (key, wanted) => {
        this.calls.push(`apply ${key}=${wanted}`);
        if (options.slowApply) await new Promise<void>((resolve) => this.letApply = resolve);
        there.set(key, wanted);
        return wanted;
      },
      remove: (key, _actual, { certain }) => {
        this.calls.push(`remove ${key}${certain ? "" : "?"}`);
        there.delete(key);
      },
    });
    this.there = there;
    this.looks = looks;
  }

  /** Waits until a look is over. */
  async looked(): Promise<void> {
    const before = this.log.all("state-refreshed").length;
    await this.step();
    await this.log.until("state-refreshed", before + 1);
  }
}

Deno.test("without a refresh nobody looks again", async () => {
  await using world = new TestWorld();
  world.desired.set("a", 1);
  await world.passed();
  world.there.clear();
  assertEquals(await world.passed(3_600_000), ["apply a=1"]);
  assertEquals(world.log.all("state-refreshed"), []);
});

Deno.test("refresh() has the next pass look: what is gone, changed or new is put right", async () => {
  await using world = new TestWorld();
  for (const key of ["gone", "changed", "kept"]) world.desired.set(key, 1);
  await world.passed();
  world.there.delete("gone");
  world.there.set("changed", 7).set("new", 8);
  world.reconciler.refresh();
  await world.looked();
  assertEquals(world.log.all("state-refreshed").map(({ appeared, gone }) => [appeared, gone]), [
    [["new"], ["gone"]],
  ]);
  assertEquals((await world.passed()).slice(3), ["remove new?", "apply gone=1", "apply changed=1"]);
  assertEquals((await world.passed()).length, 6);
  assertEquals(world.there, world.desired);
});

Deno.test("with the option refresh it looks so often, counted from the end of a look", async () => {
  await using world = new TestWorld({ refresh: 1_000 });
  world.desired.set("a", 1);
  await world.passed();
  world.there.clear();
  while (world.log.all("state-refreshed").length < 2) await world.step();
  const [first, second] = world.log.all("state-refreshed");
  assertEquals(second!.at - first!.at, 1_000);
});

Deno.test("a look that began before an operation ended does not overwrite its result", async () => {
  await using world = new TestWorld({ slowApply: true });
  await world.step();
  // It begins and ends during the look.
  world.isSlow = true;
  world.reconciler.refresh();
  await world.step();
  assertEquals(world.looks.length, 1);
  world.desired.set("a", 1);
  await world.step();
  world.letApply();
  await world.log.until("state-operation-ended");
  world.looks[0]!.resolve();
  await world.log.until("state-refreshed");
  assertEquals(world.log.all("state-refreshed")[0]!.gone, []);
  // It began before the look, and ends during it.
  world.desired.set("b", 1);
  await world.step();
  world.reconciler.refresh();
  while (world.looks.length < 2) await world.step();
  world.letApply();
  await world.log.until("state-operation-ended", 2);
  world.isSlow = false;
  world.looks[1]!.resolve();
  await world.log.until("state-refreshed", 2);
  await world.passed();
  assertEquals(world.calls, ["apply a=1", "apply b=1"]);
  world.desired.clear();
  assertEquals((await world.passed()).slice(2), ["remove a", "remove b"]);
});

Deno.test("what happens to a key during its operation is seen by a look after that", async () => {
  await using world = new TestWorld({ slowApply: true });
  world.desired.set("a", 1);
  await world.step();
  world.reconciler.refresh();
  await world.looked();
  assertEquals(world.calls, ["apply a=1"]);
  world.letApply();
  await world.log.until("state-operation-ended");
  // It dies before anybody knows that it was made, so nobody asks again.
  world.there.delete("a");
  await world.looked();
  await world.step();
  assertEquals(world.calls, ["apply a=1", "apply a=1"]);
  world.letApply();
  await world.passed();
  const looks = world.log.all("state-refreshed").length;
  await world.passed();
  assertEquals(world.log.all("state-refreshed").length, looks, "no look is asked for any more");
});

Deno.test("what is uncertain stays so though a look does not find it", async () => {
  let isThere = false;
  await using state = new TestState({
    actual: () => isThere ? [["a", 1]] : [],
    apply: (key) => {
      throw new UncertainError(key, "it may still come");
    },
    remove: (key) => {
      isThere = false;
      state.calls.push(`remove ${key}`);
    },
  });
  state.desired.set("a", 1);
  await state.passed();
  state.reconciler.refresh();
  await state.step();
  await state.log.until("state-refreshed");
  assertEquals(state.log.all("state-refreshed")[0]!.gone, []);
  isThere = true;
  state.desired.clear();
  assertEquals(await state.passed(), ["remove a"]);
});

Deno.test("a look that fails changes nothing, and says so", async () => {
  let fails = false;
  await using state = new TestState({
    refresh: 0,
    actual: () => {
      if (fails) throw new Error("no answer");
      return [["a", 1]];
    },
  });
  state.desired.set("a", 1);
  await state.passed();
  fails = true;
  const calls = (await state.passed()).length;
  assertEquals(String((await state.log.until("state-refresh-failed")).error), "Error: no answer");
  assertEquals((await state.passed()).length, calls);
});

Deno.test("a look that was asked for and fails is made again, until it has seen what there is", async () => {
  await using world = new TestWorld();
  world.desired.set("a", 1);
  await world.passed();
  world.there.clear();
  world.isSlow = true;
  world.reconciler.refresh();
  for (let count = 0; count < 3; count++) {
    while (world.looks.length === count) await world.step();
    if (count === 2) world.looks[count]!.resolve();
    else world.looks[count]!.reject(new Error("no answer"));
  }
  await world.log.until("state-refreshed");
  assertEquals(world.log.all("state-refresh-failed").length, 2);
  assertEquals(await world.passed(), ["apply a=1", "apply a=1"]);
  assertEquals(world.looks.length, 3);
});

Deno.test("run() ends when a look has ended, and hands it the abort", async () => {
  const owner = new AbortController();
  const looking = Promise.withResolvers<AbortSignal>();
  const end = Promise.withResolvers<void>();
  let looks = 0;
  const reconciler = reconcileState<number, number>({
    desired: () => [],
    actual: async (signal) => {
      if (++looks === 2) {
        looking.resolve(signal);
        await end.promise;
      }
      return [];
    },
    refresh: 0,
    matches: () => true,
    apply: () => 0,
    remove: () => {},
  });
  reconciler.refresh();
  const run = reconciler.run(owner.signal);
  const signal = await looking.promise;
  owner.abort("enough");
  assertEquals(signal.reason, "enough");
  assert(await isPending(run));
  end.resolve();
  await run;
  reconciler.refresh();
});
