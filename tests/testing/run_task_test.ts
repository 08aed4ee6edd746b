import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { createTestContext, runTask } from "../../src/testing/mod.ts";
import type { TaskContext } from "../../src/worker/context.ts";
import { fixture } from "../support/fixture.ts";

function describe(input: { city: string }, ctx: TaskContext): string {
  ctx.progress(1, 2);
  ctx.log.warn("cold", input);
  ctx.checkpoint();
  return `${input.city}, ${ctx.task.name}, ${ctx.runId}, ${ctx.attempt}, ${ctx.deadline}`;
}

Deno.test("runTask() gives the value and what the task told, whatever way the task is named", async () => {
  const run = await runTask(describe, { city: "Oslo" }, { attempt: 3, deadline: 5, runId: "r" });
  const value: string = run.value;
  assertEquals(value, "Oslo, test, r, 3, 5");
  assertEquals(run.progress, [{ done: 1, total: 2 }]);
  assertEquals(run.logs, [{ level: "warn", message: "cold", data: { city: "Oslo" } }]);
  assertEquals(run.checkpoints, 1);
  const byModule = await runTask({ default: describe }, { city: "Rome" });
  assertEquals(byModule.value, "Rome, test, run-1, 1, undefined");
  const byUrl = await runTask<typeof import("../fixtures/echo.ts")>(fixture("echo"), [1, 2]);
  assertEquals(byUrl.value, [1, 2]);
});

Deno.test("runTask() has the types of the task", () => {
  // Never called: it is checked, not run.
  const _types = async (): Promise<void> => {
    // @ts-expect-error: the input has a city.
    await runTask(describe, { town: "Oslo" });
    // @ts-expect-error: the value is text.
    const _value: number = (await runTask(describe, { city: "Oslo" })).value;
    const module = await import("../fixtures/busy.ts");
    // @ts-expect-error: the input is shared memory.
    await runTask(module, 1);
    // @ts-expect-error: the value is text.
    const _text: number = (await runTask(module, new SharedArrayBuffer(4))).value;
  };
});

Deno.test("runTask() rejects as the task does, and the context has what it told before", async () => {
  const thrown = new TypeError("no");
  const ctx = createTestContext();
  const task = (_: undefined, ctx: TaskContext): never => {
    ctx.log.error("about to fail");
    throw thrown;
  };
  assertStrictEquals(await assertRejects(() => runTask(task, undefined, ctx)), thrown);
  assertEquals(ctx.logged.map(({ message }) => message), ["about to fail"]);
});

Deno.test("runTask() copies what a worker would copy, and refuses what it would refuse", async () => {
  const input = { list: [1] };
  const { value } = await runTask((input: { list: number[] }) => {
    input.list.push(2);
    return input;
  }, input);
  assertEquals([input.list, value.list], [[1], [1, 2]]);
  await assertRejects(() => runTask((input: () => void) => typeof input, () => {}), DOMException);
  await assertRejects(() => runTask(() => () => {}, undefined), DOMException);
});

Deno.test("runTask() says what is wrong with a module that is no task", async () => {
  const module = { default: 1 } as unknown as { default: () => void };
  await assertRejects(
    () => runTask(module, undefined),
    TypeError,
    "expected a function as the default export of its module: received 1",
  );
});

Deno.test("a run is aborted in its midst, by the context or by the signal that it was given", async () => {
  const loop = (_: undefined, ctx: TaskContext): never => {
    while (true) ctx.checkpoint();
  };
  const reason = new Error("enough");
  const own = createTestContext({ onCheckpoint: (count) => count === 10 && own.abort(reason) });
  assertStrictEquals(assertThrows(() => loop(undefined, own)), reason);
  assertEquals(own.checkpoints, 10);
  const controller = new AbortController();
  const onCheckpoint = (count: number) => count === 3 && controller.abort(reason);
  const context = { signal: controller.signal, onCheckpoint };
  assertStrictEquals(await assertRejects(() => runTask(loop, undefined, context)), reason);
});

Deno.test("a log keeps its data as they were, and as text what cannot be copied", () => {
  const ctx = createTestContext({ task: { name: "mine" } });
  const data = { count: 1 };
  ctx.log.info("before", data);
  data.count = 2;
  ctx.log.debug("a function", () => {});
  assertEquals(ctx.logged[0]!.data, { count: 1 });
  assert(typeof ctx.logged[1]!.data === "string");
  assertEquals(ctx.task.name, "mine");
});
