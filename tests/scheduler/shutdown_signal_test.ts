import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { shutdownSignal } from "../../src/scheduler/shutdown_signal.ts";
import { guardTests } from "../../src/testing/mod.ts";
import { Child, denoCommand } from "../support/child.ts";
import { OFFLINE } from "../support/entries.ts";

guardTests();

const program = (kind: string): Child =>
  new Child(denoCommand("run", "-A", OFFLINE, "tests/fixtures/shutdown_program.ts", kind));

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`${signal}: what obeys is gone, and the process ends by itself with 0`, async () => {
    await using child = program("obeys");
    await child.until(/running/);
    child.kill(signal);
    const { code, stdout } = await child.finish();
    assertEquals([code, stdout], [0, `running\nstopping: Received ${signal}\nfinished\n`]);
  });
}

Deno.test("a second signal ends the process at once, with a code and a line that say so", async () => {
  await using child = program("slow");
  await child.until(/running/);
  child.kill("SIGTERM");
  await child.until(/stopping/);
  child.kill("SIGINT");
  const { code, stderr } = await child.finish();
  assertEquals(code, 130);
  assertStringIncludes(stderr, "leash: received SIGINT again: exiting");
});

Deno.test("a worker that never yields: the error of the scheduler ends the process", async () => {
  await using child = program("spins");
  await child.until(/running/);
  child.kill("SIGTERM");
  const { code, stderr } = await child.finish();
  assertEquals(code, 1);
  assertStringIncludes(stderr, "StuckWorkerError: Cannot stop worker job#1");
});

for (
  const [kind, what] of [
    ["caught", "a worker that never yields"],
    ["calls", "a thread in a call of the operating system"],
  ] as const
) {
  Deno.test(`${what} ends the process also when nobody lets the error through`, async () => {
    await using child = program(kind);
    await child.until(/running/);
    child.kill("SIGTERM");
    await child.until(/finished/);
    const { code, stderr } = await child.finish();
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "leash: exiting: alive 3s after the signal to end: job#1",
    );
  });
}

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
