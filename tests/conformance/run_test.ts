import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import type { LogLevel } from "../../src/protocol/messages.ts";
import { eachIsolation, NO_THREAD } from "../support/isolations.ts";
import { TestPool } from "../support/test_pool.ts";

/** The error of a settlement that must have one. */
function errorOf(settlement: { kind: string }): Error & Record<string, unknown> {
  assertEquals(settlement.kind, "failed");
  return (settlement as unknown as { error: Error & Record<string, unknown> }).error;
}

eachIsolation("a run completes with what the task returns", async (isolation) => {
  await using pool = new TestPool("echo", { isolation });
  const input = { date: new Date(0), map: new Map([[1, new Uint8Array([1, 2])]]), big: 10n };
  assertEquals(await pool.run(input), { kind: "completed", value: input });
});

eachIsolation("runs one after another share a warm worker", async (isolation) => {
  await using pool = new TestPool("counts", { isolation });
  for (const value of [1, 2, 3]) assertEquals(await pool.run(), { kind: "completed", value });
  assertEquals(pool.log.all("worker-spawned").length, 1);
});

eachIsolation("an error of the task keeps its class, cause, code and fields", async (isolation) => {
  await using pool = new TestPool("throws", { isolation });
  const error = errorOf(await pool.run("rich"));
  assertInstanceOf(error, TypeError);
  assertEquals(error.message, "rich failure");
  assertEquals(error.code, "E_RICH");
  assertEquals(error.details, { path: "/a/b" });
  assertEquals((error.cause as Error).message, "the cause");
  assertEquals((error.cause as Error).cause, "its root");
  assertStringIncludes(error.stack!, "throws.ts");
});

eachIsolation("an AggregateError keeps its errors", async (isolation) => {
  await using pool = new TestPool("throws", { isolation });
  const error = errorOf(await pool.run("aggregate"));
  assertInstanceOf(error, AggregateError);
  assertEquals(error.errors.map((e: Error) => [e.name, e.message]), [
    ["Error", "first"],
    ["RangeError", "second"],
  ]);
});

eachIsolation("a task may throw what is no error", async (isolation) => {
  await using pool = new TestPool("throws", { isolation });
  assertEquals(await pool.run("string"), { kind: "failed", error: "just text" });
  assertEquals(await pool.run("undefined"), { kind: "failed", error: undefined });
});

eachIsolation("a failure does not cost the worker", async (isolation) => {
  await using pool = new TestPool("throws", { isolation });
  await pool.run("plain");
  await pool.run("plain");
  assertEquals(pool.log.all("worker-spawned").length, 1);
});

eachIsolation("a result that cannot be cloned fails the run and says so", async (isolation) => {
  await using pool = new TestPool("hostile", { isolation });
  const error = errorOf(await pool.run("uncloneable"));
  assertMatch(error.message, /cannot be cloned/);
  assertEquals((await pool.run("replace")).kind, "completed");
});

eachIsolation(
  "an input that cannot be cloned fails the run and costs nothing",
  async (isolation) => {
    await using pool = new TestPool("echo", { isolation });
    assertMatch(errorOf(await pool.run(() => {})).message, /input .* cannot be cloned/);
    assertEquals(await pool.run(1), { kind: "completed", value: 1 });
    assertEquals(pool.log.all("worker-spawned").length, 1);
  },
);

eachIsolation("a task that replaces the worker's channel disturbs nothing", async (isolation) => {
  await using pool = new TestPool("hostile", { isolation });
  assertEquals(await pool.run("replace"), { kind: "completed", value: "replaced" });
  assertEquals(await pool.run("replace"), { kind: "completed", value: "replaced" });
}, NO_THREAD);

eachIsolation(
  "a task that posts messages of its own disturbs nothing",
  async (isolation) => {
    await using pool = new TestPool("hostile", { isolation });
    assertEquals(await pool.run("post"), { kind: "completed", value: "posted" });
    assertEquals((await pool.log.until("worker-foreign-message")).data, {
      type: "result",
      value: "not from Leash",
    });
  },
  // There is no postMessage() in the main thread of a process.
  ["process", "inline"],
);

eachIsolation(
  "the context says who runs, and progress and log arrive in order",
  async (isolation) => {
    await using pool = new TestPool("reports", { isolation });
    const heard: string[] = [];
    const settlement = await pool.run(5_000, {
      runId: "run-x",
      attempt: 7,
      timeout: 60_000,
      onProgress: (done, total) => heard.push(`${done}/${total}`),
      onLog: (level: LogLevel, message, data) => heard.push(`${level} ${message} ${typeof data}`),
    });
    assertEquals(settlement.kind, "completed");
    const value = (settlement as { value: Record<string, unknown> }).value;
    assertEquals(value.runId, "run-x");
    assertEquals(value.attempt, 7);
    assertEquals(value.task, pool.task);
    assertEquals(Math.abs((value.deadline as number) - Date.now() - 60_000) < 30_000, true);

    assertEquals(heard[0], "debug begin undefined");
    assertEquals(heard[1], "1/5000");
    // What was held back goes out before the log record that came after it.
    assertEquals(heard.at(-2), "5000/5000");
    assertEquals(heard.at(-1), "warn end string");
    const numbers = heard.slice(1, -1).map((line) => parseInt(line));
    assertEquals(numbers, numbers.toSorted((a, b) => a - b));
    assertEquals(numbers.length < 1_000, true, "progress is not held back");
  },
);

eachIsolation("the result counts, not the death that follows it at once", async (isolation) => {
  for (let round = 0; round < 20; round++) {
    await using pool = new TestPool("hostile", { isolation });
    assertEquals(await pool.run("close-after"), { kind: "completed", value: "last words" });
  }
}, NO_THREAD);

eachIsolation("50 MB there and back again, with nothing lost", async (isolation) => {
  await using pool = new TestPool("echo", { isolation });
  const bytes = new Uint8Array(50e6);
  for (let index = 0; index < bytes.length; index += 4_099) bytes[index] = index % 251;
  const started = performance.now();
  const { value } = await pool.run({ bytes }) as { value: { bytes: Uint8Array } };
  // A tenth of a second or so; half a minute where something looks at each byte.
  assert(performance.now() - started < 15_000, `${performance.now() - started} ms`);
  // One comparison in place of 50 million.
  assertEquals(value.bytes.length, bytes.length);
  const digest = async (data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  assertEquals(await digest(value.bytes as Uint8Array<ArrayBuffer>), await digest(bytes));
});

eachIsolation(
  "what is transferred arrives, whatever that means for the isolation",
  async (isolation) => {
    await using pool = new TestPool("echo", { isolation });
    const bytes = new Uint8Array([1, 2, 3]);
    assertEquals(await pool.run({ bytes }, { transfer: [bytes.buffer] }), {
      kind: "completed",
      value: { bytes: new Uint8Array([1, 2, 3]) },
    });
  },
);
