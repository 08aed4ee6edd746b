import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { shutdownSignal } from "../../src/scheduler/shutdown_signal.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { Child } from "../support/child.ts";
import { OFFLINE } from "../support/entries.ts";

guardTests();

const program = (kind: string): Child =>
  new Child(["run", "-A", OFFLINE, "tests/fixtures/shutdown_program.ts", kind]);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`${signal}: what obeys is gone, and the process ends by itself with 0`, async () => {
    await using child = program("obeys");
    await child.line("running");
    child.kill(signal);
    assertEquals(await child.end(), 0);
    assertEquals(child.output, `running\nstopping: Received ${signal}\nfinished`);
  });
}

Deno.test("a second signal ends the process at once, with a code and a line that say so", async () => {
  await using child = program("slow");
  await child.line("running");
  child.kill("SIGTERM");
  await child.line("stopping");
  child.kill("SIGINT");
  assertEquals(await child.end(), 130);
  assertStringIncludes(child.output, "leash: received SIGINT again: exiting");
});

Deno.test("a worker that never yields: the error of the scheduler ends the process", async () => {
  await using child = program("spins");
  await child.line("running");
  child.kill("SIGTERM");
  assertEquals(await child.end(), 1);
  assertStringIncludes(child.output, "StuckWorkerError: Cannot stop worker job#1");
});

Deno.test("a worker that never yields ends the process also when nobody lets the error through", async () => {
  await using child = program("caught");
  await child.line("running");
  child.kill("SIGTERM");
  await child.line("finished");
  assertEquals(await child.end(), 1);
  assertStringIncludes(
    child.output,
    "leash: exiting: alive 1.5s after the signal to end: job#1",
  );
});

Deno.test("shutdownSignal leaves nothing behind when it is disposed of", () => {
  for (let round = 0; round < 3; round++) {
    using signal = shutdownSignal();
    assert(signal instanceof AbortSignal);
    assertEquals(signal.aborted, false);
  }
});

Deno.test("shutdownSignal refuses a grace period or a signal that it cannot use", () => {
  assertThrows(() => shutdownSignal({ gracePeriod: -1 }), RangeError, "gracePeriod");
  assertThrows(() => shutdownSignal({ signals: ["SIGKILL"] }), TypeError);
});
