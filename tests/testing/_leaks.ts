import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { Worker as NodeWorker } from "node:worker_threads";
import { every } from "../../src/schedule/every.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { eventually, leakGuard } from "../../src/testing/mod.ts";

/** Longer than any test looks; short enough to let the machine go by itself. */
const WHILE = 6_000;

const SPIN = `const end = Date.now() + ${WHILE}; while (Date.now() < end);`;
const SPIN_MICROTASKS = `const end = Date.now() + ${WHILE};
  const again = () => { if (Date.now() < end) Promise.resolve().then(again); }; again();`;
const BLOCK = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${WHILE});`;

/** Each way in which a timer, a process or a worker can outlive its test. */
export const LEAKS: Record<string, () => unknown> = {
  "`setTimeout()`, not cleared": () => setTimeout(() => {}, WHILE),
  "`setInterval()`, not cleared": () => setInterval(() => {}, WHILE),
  "`setInterval()`, unref'd": () => Deno.unrefTimer(setInterval(() => {}, WHILE)),
  "`AbortSignal.timeout()` with a listener": () =>
    AbortSignal.timeout(WHILE).addEventListener("abort", () => {}),

  "`Deno.Command` child, not awaited": () => command().spawn(),
  "`Deno.Command` child, unref'd": () => command().spawn().unref(),
  "`Deno.Command` output, not awaited": () => void command().output(),
  "`Deno.spawn()` child, not awaited": () => Deno.spawn("sleep", [`${WHILE / 1_000}`]),
  "`node:child_process` spawn": () => spawn("sleep", [`${WHILE / 1_000}`]),
  "`node:child_process` fork": () => fork(new URL("./_waits.ts", import.meta.url)),

  "`Worker`, not terminated": () => web("postMessage(1)"),
  "`Worker`, made later by a timer": async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    await web("postMessage(1)");
  },
  "timer in a `Worker`": () => web(`setInterval(() => {}, ${WHILE}); postMessage(1)`),
  "`Worker`, blocked for ever": () => web(`postMessage(1); ${BLOCK}`),
  "`Worker`, blocked, terminated": async () => (await web(`postMessage(1); ${BLOCK}`)).terminate(),
  "`node:worker_threads` Worker, not terminated": () => node("parentPort.on('message', () => {});"),

  "`Scheduler`, not closed": () => scheduler(),
  "`Scheduler` with an idle worker": () =>
    scheduler().add("data:text/javascript,export default () => 1", {
      name: "idle",
      schedule: every({ hours: 1 }),
    }).trigger(),
  "timer left behind by a task": () =>
    scheduler().add(
      `data:text/javascript,export default () => void setInterval(() => {}, ${WHILE})`,
      {
        name: "leaves-a-timer",
        schedule: every({ hours: 1 }),
      },
    ).trigger(),

  "`Worker` that spins": () => web(`postMessage(1); ${SPIN}`),
  "`Worker` that spins, terminated": async () => (await web(`postMessage(1); ${SPIN}`)).terminate(),
  "`Worker` with endless microtasks, terminated": async () =>
    (await web(`postMessage(1); ${SPIN_MICROTASKS}`)).terminate(),
  "`node:worker_threads` Worker that spins, terminated": async () => {
    await (await node(SPIN)).terminate();
  },
  "task that spins, scheduler closed": async () => {
    const busy = scheduler();
    const task = busy.add(
      `data:text/javascript,export default (_, ctx) => { ctx.progress(1); ${SPIN} }`,
      { name: "spins", schedule: every({ hours: 1 }) },
    );
    const stopped = task.trigger();
    await eventually(() => task.active[0]?.progress !== undefined, { timeout: 60_000 });
    await busy.close({ gracePeriod: 0 }).catch(() => {});
    await stopped;
  },
};

/** Declares the test that leaks so, with or without a guard. */
export function testLeak(name: string): void {
  Deno.test(name, async (t) => {
    if (Deno.env.get("LEASH_TEST_GUARD") !== "1") return void await LEAKS[name]!();
    await using _guard = leakGuard(t);
    await LEAKS[name]!();
  });
}

function command(): Deno.Command {
  return new Deno.Command("sleep", { args: [`${WHILE / 1_000}`] });
}

async function web(source: string): Promise<Worker> {
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, {
    type: "module",
    name: "leak",
  });
  await new Promise((resolve) => worker.onmessage = resolve);
  return worker;
}

async function node(source: string): Promise<NodeWorker> {
  const code =
    `import { parentPort } from "node:worker_threads"; parentPort.postMessage(1); ${source}`;
  const worker = new NodeWorker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  await once(worker, "message");
  return worker;
}

function scheduler(): Scheduler {
  return new Scheduler({
    signal: new AbortController().signal,
    killTimeout: 100,
    onEvent: () => {},
  });
}
