import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import { WorkerCrashedError, WorkerOutOfMemoryError } from "../../src/base/errors.ts";
import { endsBusyWorker } from "../../src/pool/_probe.ts";
import { canKillBusyWorker } from "../../src/pool/can_kill_busy_worker.ts";
import { describeWorkerEvent } from "../../src/pool/describe_worker_event.ts";
import { liveWorkers } from "../../src/pool/live_workers.ts";
import { refusal, threadTransport } from "../../src/pool/thread_transport.ts";
import { webTransport } from "../../src/pool/web_transport.ts";
import { eventually, guardTests } from "../../src/testing/mod.ts";
import { Child, denoCommand } from "../support/child.ts";
import { OFFLINE } from "../support/entries.ts";
import { TempDir } from "../support/temp_dir.ts";
import { TestPool } from "../support/test_pool.ts";

// The probe of a Web Worker cannot be ended, and ends by itself a few seconds later.
guardTests({ ignore: ({ name }) => name?.startsWith("leash-probe:") ?? false });

const script = (body: string): string =>
  `data:text/javascript,${encodeURIComponent(`export default ${body}`)}`;

const FILL = "const kept = []; while (true) kept.push(new Array(1_000).fill(Math.random()));";
const MEMORY = 40 * 2 ** 20;

/** Each of these is seen in another way, and the second to the last by no event of Deno's at all. */
const FILLING: Record<string, string> = {
  "in its first turn": `() => { ${FILL} }`,
  "after an await": `async () => { await Deno.stat("/"); ${FILL} }`,
  "in a microtask": `() => new Promise(() => queueMicrotask(() => { ${FILL} }))`,
  "in the listener of its signal": `(_, ctx) => new Promise(() => {
    ctx.signal.addEventListener("abort", () => { ${FILL} });
  })`,
  "in a timer": `() => new Promise(() => setTimeout(() => { ${FILL} }))`,
};

for (const [when, body] of Object.entries(FILLING)) {
  Deno.test(`a thread that fills its memory ${when} ends with an error of its own`, async () => {
    await using pool = new TestPool(script(body), {
      isolation: "thread",
      memoryLimit: MEMORY,
    });
    const settlement = await pool.run(undefined, { timeout: 2_000, gracePeriod: 60_000 });
    assertEquals(settlement.kind, "crashed");
    const { error } = settlement as { error: unknown };
    assertInstanceOf(error, WorkerOutOfMemoryError);
    assertInstanceOf(error, WorkerCrashedError);
    assertEquals([error.name, error.memoryLimit], ["WorkerOutOfMemoryError", MEMORY]);
    assertStringIncludes(error.message, error.worker);
    assertEquals(await pool.alive(), 0);
    assertEquals(pool.log.all("worker-exited").map(({ end }) => end), ["crashed"]);
  });
}

Deno.test("a thread within its limit of memory is left alone", async () => {
  await using pool = new TestPool(
    script(`async () => {
      for (let turn = 0; turn < 30; turn++) {
        const kept = [];
        for (let i = 0; i < 500; i++) kept.push(new Array(1_000).fill(Math.random()));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return "done";
    }`),
    { isolation: "thread", memoryLimit: MEMORY },
  );
  assertEquals(await pool.run(), { kind: "completed", value: "done" });
});

Deno.test("a thread in a call of the operating system is not taken for dead before it is", async () => {
  using dir = new TempDir();
  await using pool = new TestPool(
    script(`(file, ctx) => {
      ctx.progress(1);
      const wait = 'echo > "$0"; while [ -e "$0" ]; do sleep 0.05; done';
      new Deno.Command("sh", { args: ["-c", wait, file] }).outputSync();
      while (true);
    }`),
    { isolation: "thread", killTimeout: 300 },
  );
  const run = await pool.running(dir.at("begun"), { gracePeriod: 0 });
  while (dir.tree().length === 0) await nextTurn();
  run.abort();
  assertEquals((await run.settled as { ending: string }).ending, "stuck");
  // Deno itself has long said that it had exited, and has given back its lock.
  assertEquals(await pool.alive(), 1);
  Deno.removeSync(dir.at("begun"));
  const exited = await pool.log.until("worker-exited");
  assertEquals(exited.wasStuck, true);
  assertEquals(await pool.alive(), 0);
});

Deno.test({
  name: "50 killed threads: each is gone for the system too, and leaves no memory behind",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const program = new URL("./_kills_program.ts", import.meta.url).href;
    await using child = new Child(denoCommand("run", "-A", OFFLINE, program));
    const { code, stdout, stderr } = await child.finish();
    assertEquals(code, 0, stderr);
    const { before, after } = JSON.parse(stdout);
    assert(after.threads - before.threads < 20, stdout);
    assert(after.memory - before.memory < 150e6, stdout);
  },
});

Deno.test("a killed thread that never yielded is told from one that waited", async () => {
  const busy = async (body: string): Promise<number> => {
    await using pool = new TestPool(script(body), { isolation: "thread" });
    const run = await pool.running(undefined, { gracePeriod: 400 });
    run.abort();
    await run.settled;
    const event = await pool.log.until("worker-exited");
    assertEquals(event.end, "killed");
    assert(describeWorkerEvent(event)!.includes(" % of a processor"));
    return event.busy!;
  };
  const spin = await busy("(_, ctx) => { ctx.progress(1); while (true); }");
  const wait = await busy("(_, ctx) => new Promise(() => ctx.progress(1))");
  assert(spin > 2 * wait, `${spin} of a loop, ${wait} of a wait`);
});

Deno.test("how much a thread computes is seen from outside", async () => {
  await using spin = await launch("postMessage('up'); while (true);");
  await using wait = await launch("postMessage('up'); await new Promise(() => {});");
  // As long as that takes where there is not much of a processor for it.
  await eventually(async () => assert(await spin.worked() >= 200), {
    timeout: 60_000,
    interval: 0,
  });
  const waited = await wait.worked();
  assert(waited <= 20, `${waited} ms of a wait`);
});

/** A thread at work on a module, and the processor time that it took from then on. */
async function launch(
  source: string,
): Promise<{ worked(): Promise<number> } & AsyncDisposable> {
  await threadTransport.prepare!();
  const up = Promise.withResolvers<void>();
  const transport = threadTransport.launch({
    module: `data:text/javascript,${encodeURIComponent(source)}`,
    name: "leash-test",
    lock: `leash-test:${crypto.randomUUID()}`,
    permissions: undefined,
    memoryLimit: undefined,
  }, {
    message: () => {},
    foreignMessage: () => up.resolve(),
    error: (error) => up.reject(error),
    outOfMemory: () => {},
    output: () => {},
  });
  const death = transport.death(new AbortController().signal);
  await up.promise;
  const before = await transport.cpuTime!();
  assert(before !== undefined);
  return {
    worked: async () => (await transport.cpuTime!())! - before,
    async [Symbol.asyncDispose]() {
      transport.terminate();
      await death;
      assertEquals(await transport.cpuTime!(), undefined);
    },
  };
}

Deno.test("canKillBusyWorker() says what was tried, and leaves nothing behind", async () => {
  const can = await canKillBusyWorker();
  assertEquals(can.thread, await endsBusyWorker(threadTransport.launch, 5_000));
  assertEquals(can.thread, true);
  // If this fails, Deno ends busy Web Workers again: then the documentation has to say so.
  assertEquals(can.worker, false);
  assertEquals((await liveWorkers()).filter(({ worker }) => worker.includes("probe")), []);
});

Deno.test("a probe that fails says so, ends its loop, and threads are refused with what else to use", async () => {
  const alive: string[] = [];
  assertEquals(
    await endsBusyWorker((launch, handlers) => {
      alive.push(launch.lock);
      return webTransport.launch(launch, handlers);
    }, 100),
    false,
  );
  const locks = (navigator as unknown as { locks: { request: Request } }).locks;
  type Request = (name: string, callback: () => void) => Promise<void>;
  await locks.request(alive[0]!, () => {});
  const { message } = refusal();
  assertStringIncludes(message, `received Deno ${Deno.version.deno}`);
  assertStringIncludes(message, '"process"');
  assertStringIncludes(message, '"worker"');
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
