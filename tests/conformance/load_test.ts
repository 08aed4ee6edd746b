import { assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { TaskLoadError } from "../../src/base/errors.ts";
import { fixture } from "../support/fixture.ts";
import { eachIsolation, NO_THREAD } from "../support/isolations.ts";
import { TestPool } from "../support/test_pool.ts";

const script = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;

const CASES: Record<string, { module: string; says: string; cause?: string }> = {
  "that is not there": {
    module: fixture("no_such_module").href,
    says: "Module not found",
    cause: "TypeError",
  },
  "that imports what is not there": {
    module: script(`import ${JSON.stringify(fixture("nowhere").href)}; export default () => 1`),
    // `deno test` checks types before it looks for the module, `deno run` does not.
    says: "",
  },
  "that is no JavaScript": {
    module: script("export default ("),
    says: "SyntaxError",
    cause: "TypeError",
  },
  "that throws while it loads": {
    module: script("throw new RangeError('not today')"),
    says: "not today",
    cause: "RangeError",
  },
  "that throws something that is no error": {
    module: script("throw 42"),
    says: "42",
  },
  "without a default export": {
    module: script("export const sweep = () => 1"),
    says: "received no default export (it exports sweep)",
  },
  "without any export": {
    module: script("0"),
    says: "received no default export (it exports nothing)",
  },
  "whose default export is no function": {
    module: script("export default 42"),
    says: "received a default export of type number",
  },
};

for (const [name, { module, says, cause }] of Object.entries(CASES)) {
  eachIsolation(`a module ${name} is a TaskLoadError that names it`, async (isolation) => {
    await using pool = new TestPool(module, { isolation });
    for (let round = 0; round < 2; round++) {
      const settlement = await pool.run();
      assertEquals(settlement.kind, "failed");
      const { error } = settlement as { error: unknown };
      assertInstanceOf(error, TaskLoadError);
      assertEquals(error.module, module);
      assertStringIncludes(error.message, module);
      assertStringIncludes(error.message, says);
      assertEquals(error.message.includes("\x1b"), false);
      if (cause !== undefined) assertEquals((error.cause as Error).name, cause);
    }
    assertEquals(await pool.alive(), 0);
    assertEquals(pool.log.all("worker-exited").map(({ end }) => end), [
      "load-failed",
      "load-failed",
    ]);
  });
}

eachIsolation(
  "a module that does not finish loading fails after the ready timeout",
  async (isolation) => {
    await using pool = new TestPool("never_loads", {
      isolation,
      readyTimeout: 200,
      // It may still be about to be read when its time is over.
      killTimeout: 60_000,
    });
    const { error } = await pool.run() as { error: unknown };
    assertInstanceOf(error, TaskLoadError);
    assertStringIncludes(error.message, "not loaded within 200 ms");
    assertEquals(await pool.alive(), 0);
  },
  NO_THREAD,
);

eachIsolation("a module that crashes while it loads is a crash, not a hang", async (isolation) => {
  for (const source of ["Deno.exit(5)", "self.close()"]) {
    await using pool = new TestPool(script(`${source}; await new Promise(() => {})`), {
      isolation,
    });
    assertEquals((await pool.run()).kind, "crashed");
    assertEquals(await pool.alive(), 0);
  }
}, NO_THREAD);

eachIsolation(
  "a server that never answers holds up nothing but the run that waits for it",
  async (isolation) => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    let isAsked = false;
    const accepted = listener.accept().then((connection) => {
      isAsked = true;
      return connection;
    });
    const { port } = listener.addr as Deno.NetAddr;
    // Whoever is still on the way when the time is over has not asked: then it gets more.
    for (let readyTimeout = 500; !isAsked; readyTimeout *= 2) {
      await using pool = new TestPool(`http://127.0.0.1:${port}/task.ts`, {
        isolation,
        readyTimeout,
        killTimeout: isolation === "worker" ? 2_000 : 60_000,
      });
      const { error } = await pool.run() as { error: unknown };
      assertInstanceOf(error, TaskLoadError);
      assertStringIncludes(error.message, `not loaded within ${readyTimeout} ms`);
      assertEquals(await pool.alive(), 0);
    }
    (await accepted).close();
  },
  NO_THREAD,
);
