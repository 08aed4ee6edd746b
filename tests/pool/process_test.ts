import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import {
  TaskLoadError,
  WorkerCrashedError,
  WorkerOutOfMemoryError,
} from "../../src/base/errors.ts";
import type { WorkerEvent } from "../../src/pool/events.ts";
import type { WorkerPermissions } from "../../src/pool/permissions.ts";
import { WorkerPool } from "../../src/pool/worker_pool.ts";
import { Child, denoCommand } from "../support/child.ts";
import { EventLog } from "../support/event_log.ts";
import { fixture } from "../support/fixture.ts";
import { OFFLINE, ROOT } from "../support/entries.ts";
import { TempDir } from "../support/temp_dir.ts";
import { TestPool, type TestPoolOptions } from "../support/test_pool.ts";

const script = (body: string): string =>
  `data:text/javascript,${encodeURIComponent(`export default ${body}`)}`;

const processPool = (body: string, options: TestPoolOptions = {}): TestPool =>
  new TestPool(script(body), { isolation: "process", ...options });

/** Begins a run of a task whose first progress is its process id. */
async function withPid(
  pool: TestPool,
): Promise<{ pid: number; settled: Promise<{ kind: string; error?: unknown }> }> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const settled = pool.run(undefined, { onProgress: resolve });
  return { pid: await promise, settled };
}

const WAIT = "(_, ctx) => { ctx.progress(Deno.pid); return new Promise(() => {}); }";
const SPIN = "(_, ctx) => { ctx.progress(Deno.pid); while (true); }";

for (const signal of ["SIGSEGV", "SIGKILL", "SIGABRT"] as const) {
  Deno.test(`a process that is ended by ${signal} is a crash that says so`, async () => {
    for (const body of [WAIT, SPIN]) {
      await using pool = processPool(body);
      const { pid, settled } = await withPid(pool);
      Deno.kill(pid, signal);
      // V8 catches the first one, to see whether it comes from WebAssembly.
      using _again = signal === "SIGSEGV" ? killAgain(pid) : undefined;
      const { kind, error } = await settled;
      assertEquals(kind, "crashed");
      assertInstanceOf(error, WorkerCrashedError);
      assertStringIncludes(error.message, `its process was ended by ${signal}`);
      assertEquals(await pool.alive(), 0);
    }
  });
}

Deno.test("what Deno says when it cannot start is the error of the run", async () => {
  await using pool = processPool("() => 1", { denoFlags: ["--no-such-flag"] });
  const { error } = await pool.run() as { error: Error };
  assertInstanceOf(error, TaskLoadError);
  assertMatch(error.message, /its process exited with code 1: .*--no-such-flag/s);
  assertEquals(await pool.alive(), 0);
});

Deno.test("a process that is ended by what no code of the task can tell is still seen to end", async () => {
  await using pool = processPool(
    `async () => { (await import("node:process")).default.exit(7); }`,
  );
  const { error } = await pool.run() as { error: Error };
  assertInstanceOf(error, WorkerCrashedError);
  assertMatch(error.message, /\b7\b/);
});

Deno.test("signals that a terminal sends to all processes at once are the parent's to act on", async () => {
  if (Deno.build.os === "windows") return;
  await using pool = processPool(`(_, ctx) => new Promise((resolve) => {
    ctx.progress(Deno.pid);
    ctx.signal.addEventListener("abort", () => resolve("told"));
  })`);
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<number>();
  const settled = pool.run(undefined, { onProgress: resolve, signal: controller.signal });
  const pid = await promise;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) Deno.kill(pid, signal);
  controller.abort();
  assertEquals((await settled as { ending: string }).ending, "returned");
});

Deno.test("a stop is a SIGTERM for what in the process listens for it", async () => {
  if (Deno.build.os === "windows") return;
  await using pool = processPool(`(_, ctx) => new Promise((resolve) => {
    Deno.addSignalListener("SIGTERM", () => { ctx.log.info("SIGTERM"); resolve(); });
    ctx.progress(1);
  })`);
  const logged: string[] = [];
  const run = await pool.running(undefined, { onLog: (_level, message) => logged.push(message) });
  await pool.close(undefined, 60_000);
  assertEquals((await run.settled as { ending: string }).ending, "returned");
  assertEquals(logged, ["SIGTERM"]);
});

Deno.test("the heap of a process is limited, and a full one is an error of its own", async () => {
  const memoryLimit = 64 * 2 ** 20;
  await using pool = processPool(
    "() => { const kept = []; while (true) kept.push(new Array(1_000).fill(Math.random())); }",
    { memoryLimit },
  );
  const { error } = await pool.run() as { error: unknown };
  assertInstanceOf(error, WorkerOutOfMemoryError);
  assertEquals(error.memoryLimit, memoryLimit);
  assertEquals(await pool.alive(), 0);
});

Deno.test("what a task writes to its console comes as events, line by line", async () => {
  await using pool = processPool(`async () => {
    console.log("one\\ntwo");
    console.error("three");
    await Deno.stdout.write(new TextEncoder().encode("no end"));
    return "done";
  }`);
  assertEquals(await pool.run(), { kind: "completed", value: "done" });
  await pool.close();
  const lines = pool.log.all("worker-output");
  const of = (stream: string) => lines.filter((line) => line.stream === stream).map((l) => l.text);
  assertEquals(of("stdout"), ["one", "two", "no end"]);
  assertEquals(of("stderr"), ["three"]);
});

Deno.test("a flood of output and bytes that are no text hold up nothing", async () => {
  await using pool = processPool(`async () => {
    const line = "x".repeat(99) + "\\n";
    for (let i = 0; i < 50; i++) console.log(line.repeat(1_000));
    const garbage = crypto.getRandomValues(new Uint8Array(60_000));
    await Deno.stdout.write(garbage);
    await Deno.stderr.write(garbage);
    return "done";
  }`);
  assertEquals(await pool.run(), { kind: "completed", value: "done" });
  await pool.close();
  const lines = pool.log.all("worker-output");
  assert(lines.filter(({ text }) => text === "x".repeat(99)).length === 50_000);
  assert(lines.every(({ text }) => text.length <= 10_000));
});

Deno.test("a task may close its standard output, and still answers", async () => {
  await using pool = processPool(
    `() => { Deno.stdout.close(); Deno.stderr.close(); return "still here"; }`,
  );
  assertEquals(await pool.run(), { kind: "completed", value: "still here" });
});

Deno.test("a task that writes into Leash's own channel ends as a crash, not as a hang", async () => {
  for (
    const text of ["garbage", "\\xff\\xff\\xff\\xff\\xff\\xff", "\\x03\\x00\\x00\\x00\\x00abc"]
  ) {
    await using pool = processPool(`async (_, ctx) => {
      (await import("node:fs")).writeSync(3, new TextEncoder().encode("${text}"));
      await new Promise(() => {});
    }`);
    const settlement = await pool.run();
    assertEquals(settlement.kind, "crashed", text);
    assertEquals(await pool.alive(), 0);
  }
});

Deno.test("an input that cannot be carried is refused before anything is sent", async () => {
  await using pool = new TestPool("echo", { isolation: "process" });
  for (
    const input of [new Blob(["x"]), new SharedArrayBuffer(8), { at: [new DOMException("m")] }]
  ) {
    const { kind, error } = await pool.run(input) as unknown as { kind: string; error: Error };
    assertEquals(kind, "failed");
    assertMatch(error.message, /: input.* is (a Blob|shared memory|a DOMException)/);
    assertMatch(
      (error.cause as Error).message,
      /another process: .*(Blob|shared memory|DOMException)/,
    );
  }
  assertEquals(await pool.run(1), { kind: "completed", value: 1 });
  assertEquals(pool.log.all("worker-spawned").length, 1);
});

Deno.test("a result that cannot be carried fails the run, and costs no worker", async () => {
  await using pool = processPool(`(which) => which ? new Blob(["x"]) : "fine"`);
  const { error } = await pool.run(true) as { error: Error };
  assertMatch((error.cause as Error).message, /is a Blob/);
  assertEquals(await pool.run(false), { kind: "completed", value: "fine" });
  assertEquals(pool.log.all("worker-spawned").length, 1);
});

Deno.test({
  name: "a program that may not run others is told what it lacks",
  permissions: { run: false, read: true, env: true, sys: true },
  async fn() {
    await using pool = processPool("() => 1");
    const { kind, error } = await pool.run() as unknown as { kind: string; error: Error };
    assertEquals(kind, "failed");
    assertMatch(error.message, /run access.*--allow-run/);
    assertEquals(await pool.alive(), 0);
  },
});

Deno.test("the imports of a program are those of its processes; flags can add to them", async () => {
  using dir = new TempDir();
  Deno.writeTextFileSync(dir.at("answer.js"), "export const answer = 42;");
  Deno.writeTextFileSync(dir.at("map.json"), `{ "imports": { "#answer": "./answer.js" } }`);
  const body = `async () => (await import("#answer")).answer`;
  const flagged = `import { answer } from "#answer"; export default () => answer;`;
  Deno.writeTextFileSync(dir.at("task.js"), flagged);
  const module = `file://${dir.at("task.js")}`;
  {
    await using pool = new TestPool(module, {
      isolation: "process",
      denoFlags: [`--import-map=${dir.at("map.json")}`],
    });
    assertEquals(await pool.run(), { kind: "completed", value: 42 });
  }
  {
    await using pool = processPool(body);
    assertEquals((await pool.run()).kind, "failed");
  }
  // The configuration above the main module, wherever the program was started.
  Deno.writeTextFileSync(
    dir.at("deno.json"),
    `{ "imports": { "#answer": "./answer.js", "croner": "npm:croner@^11.0.1" } }`,
  );
  Deno.mkdirSync(dir.at("inner"));
  Deno.writeTextFileSync(
    dir.at("inner/main.js"),
    `import { after, Scheduler } from ${JSON.stringify(new URL("mod.ts", ROOT).href)};
     await using scheduler = new Scheduler({ signal: new AbortController().signal });
     const task = scheduler.add(${JSON.stringify(module)}, {
       schedule: after(1e9), isolation: "process",
     });
     const { value, error } = await task.trigger();
     console.log(error ?? "value " + value);`,
  );
  await using program = new Child(denoCommand("run", "-A", dir.at("inner/main.js")));
  await program.until(/value 42/);
});

for (const kind of ["waits", "spins"]) {
  Deno.test({
    name: `a process whose task ${kind} ends when its parent is killed`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const module = fixture("process_program").pathname;
      await using program = new Child(denoCommand("run", "-A", OFFLINE, module, kind));
      const pid = Number((await program.until(/child (\d+)\n/))[1]);
      assert(isAlive(pid), "it does not run");
      program.kill("SIGKILL");
      await program.finish();
      while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 0));
    },
  });
}

function killAgain(pid: number): Disposable {
  const timer = setInterval(() => {
    try {
      Deno.kill(pid, "SIGSEGV");
    } catch {
      // It has worked.
    }
  }, 5);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Whether the process runs: a dead one that nobody waits for does not. */
function isAlive(pid: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return stat[stat.lastIndexOf(")") + 2] !== "Z";
  } catch {
    return false;
  }
}

Deno.test("a process has the permissions that were asked for, and no other, of any kind", async () => {
  const kinds = ["env", "ffi", "net", "read", "run", "sys", "write"];
  const body = `() => ${
    JSON.stringify(kinds)
  }.filter((name) => Deno.permissions.querySync({ name }).state === "granted")`;
  const granted = async (permissions: WorkerPermissions): Promise<unknown> => {
    await using pool = processPool(body, { permissions });
    return (await pool.run() as { value: unknown }).value;
  };
  assertEquals(await granted("none"), []);
  assertEquals(await granted({}), []);
  assertEquals(await granted({ read: ["/nowhere with spaces"], net: [] }), []);
  assertEquals(await granted({ env: true, sys: false }), ["env"]);
  assertEquals(await granted("inherit"), kinds);
});

Deno.test("a process has just the files that it was given, whatever is in their names", async () => {
  using dir = new TempDir();
  const given = dir.file("a b%20c=d;e.txt");
  const other = dir.file("a");
  for (
    const path of [given, new URL(`file://${given.split("/").map(encodeURIComponent).join("/")}`)]
  ) {
    await using pool = new TestPool("permitted", {
      isolation: "process",
      permissions: { read: [path] },
    });
    assertEquals(await pool.run(given), { kind: "completed", value: "\0" });
    assertEquals(await pool.run(other), { kind: "completed", value: "NotCapable" });
  }
  await using pool = new TestPool("permitted", {
    isolation: "process",
    permissions: { read: ["a,b"] },
  });
  const { error } = await pool.run(given) as { error: Error };
  assertMatch(error.message, /permission for a,b: Deno has no way to write a comma/);
});

Deno.test({
  name: "a process gets no more than its parent has",
  permissions: { run: true, read: true, env: true, sys: false, net: ["example.com"] },
  async fn() {
    await using pool = processPool(
      `() => ["sys", "net", "read"].map((name) => Deno.permissions.querySync({ name }).state)`,
    );
    assertEquals(await pool.run(), { kind: "completed", value: ["denied", "denied", "granted"] });
  },
});

Deno.test("signs of life come through the pipe: of the event loop, and of checkpoints", async () => {
  using dir = new TempDir();
  const hung: number[] = [];
  // A machine that has no time for a process makes it silent as well, so what seems to hang gets more time.
  for (const heartbeatTimeout of [400, 4_000]) {
    const log = new EventLog<WorkerEvent>();
    await using pool = new WorkerPool(
      script(`async ({ waits, checks, loops }, ctx) => {
        if (waits) await new Promise((resolve) => setTimeout(resolve, waits));
        const end = performance.now() + checks;
        while (performance.now() < end) ctx.checkpoint();
        while (loops) try { Deno.statSync(loops); break; } catch {}
      }`),
      {
        signal: new AbortController().signal,
        isolation: "process",
        heartbeatTimeout,
        onEvent: log.sink,
      },
    );
    await pool.run({ waits: 2 * heartbeatTimeout });
    await pool.run({ checks: 2 * heartbeatTimeout });
    hung.push(log.all("worker-hung").length);
    const over = dir.at(`over ${heartbeatTimeout}`);
    const loops = pool.run({ loops: over });
    await log.until("worker-hung", hung.at(-1)! + 1);
    Deno.writeTextFileSync(over, "");
    await loops;
    if (hung.at(-1) === 0) break;
  }
  assertEquals(hung.at(-1), 0, `${hung} times`);
});
