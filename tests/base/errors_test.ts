import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import {
  ClosedError,
  StuckWorkerError,
  TaskLoadError,
  WorkerCrashedError,
} from "../../src/base/errors.ts";
import { decodeThrown, encodeThrown } from "../../src/protocol/error_codec.ts";

const cause = new RangeError("why");
const ALL = [
  new TaskLoadError("file:///task.ts", "it is no module", { cause }),
  new WorkerCrashedError("sweep-1", "it called Deno.exit(1)", { cause }),
  new StuckWorkerError([{ worker: "sweep-1", task: "sweep", waited: 250.4 }]),
  new ClosedError(`add task "x"`, "the scheduler is closed", { cause }),
];

Deno.test("each error says what could not be done, and keeps its cause", () => {
  assertEquals(ALL.map(({ message }) => message), [
    "Cannot load task module file:///task.ts: it is no module",
    "Cannot finish the run in worker sweep-1: it called Deno.exit(1)",
    "Cannot stop worker sweep-1 (still alive after 250 ms): the code in it never yields to the " +
    "event loop. Call ctx.checkpoint() in its loops",
    `Cannot add task "x": the scheduler is closed`,
  ]);
  for (const error of ALL) {
    assertInstanceOf(error, Error);
    assertEquals(error.name, error.constructor.name);
    if (!(error instanceof StuckWorkerError)) assertEquals(error.cause, cause);
  }
  assert(!("cause" in new ClosedError("x", "y")), "no cause where none was given");
});

Deno.test("StuckWorkerError names each worker", () => {
  const error = new StuckWorkerError([
    { worker: "a", task: "t", waited: 100 },
    { worker: "b", task: "t", waited: 200 },
  ]);
  assertStringIncludes(error.message, "Cannot stop 2 workers: a (still alive after 100 ms), b (");
  assertEquals(error.workers.map(({ worker }) => worker), ["a", "b"]);
});

Deno.test("each error can be told by name and fields after it crossed a thread", () => {
  for (const error of ALL) {
    const arrived = decodeThrown(structuredClone(encodeThrown(error))) as Error;
    assertEquals([arrived.name, arrived.message], [error.name, error.message]);
    const { name: _, ...fields } = { ...error };
    assertEquals({ ...arrived }, fields as typeof arrived);
  }
});
