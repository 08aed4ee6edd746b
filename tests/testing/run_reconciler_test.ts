import { assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { reconcileState } from "../../src/reconcile/reconcile_state.ts";
import { eventually, leakGuard, runReconciler } from "../../src/testing/mod.ts";
import { runTestFiles } from "../support/run_test_files.ts";
import { TempDir } from "../support/temp_dir.ts";

const PARALLEL = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };
const STEPS = 8;

Deno.test("eight parallel steps each with a reconciler of their own leave each other alone", async (t) => {
  await using _guard = leakGuard(t);
  const running = new Set<number>();
  const all = Promise.withResolvers<void>();
  let ended = 0;
  await Promise.all(Array.from({ length: STEPS }, (_, index) =>
    t.step({
      name: `step ${index}`,
      ...PARALLEL,
      async fn(t) {
        await using _guard = leakGuard(t);
        const made: string[] = [];
        {
          await using reconciler = runReconciler(
            t,
            reconcileState({
              // As in the tests that starved each other: it never rests.
              pause: 0,
              desired: () => [[`key ${index}`, index]],
              actual: () => [],
              matches: (wanted, there) => wanted === there,
              apply: (key, wanted) => {
                made.push(key);
                return wanted;
              },
              remove: () => {},
            }),
          );
          await eventually(() => made.length === 1);
          running.add(index);
          if (running.size === STEPS) all.resolve();
          await all.promise;
          // Those that ended before it have stopped nothing of it.
          assertEquals(reconciler.signal.aborted, false);
          while (ended < index) await eventually(() => ended >= index);
        }
        ended++;
        assertEquals(made, [`key ${index}`]);
      },
    })));
  assertEquals(ended, STEPS);
});

Deno.test("the end aborts, waits, and throws what the reconciler threw", async (t) => {
  await using _guard = leakGuard(t);
  const order: string[] = [];
  {
    await using _running = runReconciler(t, {
      async run(signal) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        order.push(signal.reason.message);
        await Promise.resolve();
        order.push("ended");
      },
    });
  }
  assertEquals(order, [`test "${t.name}" is cleaning up`, "ended"]);

  const error = new Error("broken");
  const broken = runReconciler(t, { run: () => Promise.reject(error) });
  assertStrictEquals(await assertRejects(() => broken[Symbol.asyncDispose]()), error);
  const threw = runReconciler(t, {
    run: () => {
      throw error;
    },
  });
  assertStrictEquals(await assertRejects(() => threw[Symbol.asyncDispose]()), error);
});

Deno.test("a reconciler that does not end is named", async (t) => {
  const end = Promise.withResolvers<void>();
  const reconciler = runReconciler(t, { run: () => end.promise }, { deadline: 10 });
  const error = await assertRejects(() => reconciler[Symbol.asyncDispose](), Error);
  assertMatch(error.message, new RegExp(`reconciler .*${t.name}.*stopping`));
  end.resolve();
  await reconciler.finished;
});

const [testing, reconcile] = ["testing/mod", "reconcile/reconcile_state"]
  .map((file) => JSON.stringify(new URL(`../../src/${file}.ts`, import.meta.url).href));

/** The tests of the kubelet as they were: a reconciler in each, and one of them is never stopped. */
const SUITE = `
import { leakGuard, runReconciler } from ${testing};
import { reconcileState } from ${reconcile};
const reconciler = () => reconcileState({
  pause: 1, desired: () => [], actual: () => [], matches: () => true, apply: () => 1, remove: () => {},
});
const step = (t, name, fn) => t.step({
  name, sanitizeOps: false, sanitizeResources: false, sanitizeExit: false,
  async fn(t) {
    await using _guard = leakGuard(t);
    await fn(t);
  },
});
const stops = async (t) => {
  await using running = runReconciler(t, reconciler());
};
const leaks = (t) => void runReconciler(t, reconciler());
const leaksBare = () => void reconciler().run(new AbortController().signal);
Deno.test("suite", (t) => Promise.all([
  step(t, "one", stops), step(t, "two", leaks), step(t, "three", stops), step(t, "four", leaksBare),
]).then(() => {}));
`;

Deno.test("with a leak put back on purpose the step that leaks fails, and no other", async () => {
  using dir = new TempDir();
  await Deno.writeTextFile(dir.at("some_test.ts"), SUITE);
  const verdicts = await runTestFiles(dir);
  const failed = (step: string) => verdicts.get(`suite > ${step}`);
  assertEquals([failed("one"), failed("three")], [undefined, undefined]);
  assertMatch(failed("two")!, /reconciler of test "suite > two"/);
  assertMatch(failed("four")!, /reconciler state/);
});
