import { formatDuration } from "../base/format_duration.ts";
import { liveWorkers } from "../pool/live_workers.ts";
import { defineCommand } from "./_command.ts";
import { chooseView } from "./_create_view.ts";
import { startDemo } from "./_demo_tasks.ts";
import { DemoTally, describeDemoValue } from "./_demo_tally.ts";
import { counted } from "./_format.ts";
import { describeAlive, runSession } from "./_session.ts";
import { StallMeter } from "./_stall_meter.ts";
import { TempDir } from "./_temp_dir.ts";
import { parseCount } from "./_units.ts";
import { onePositional, type OptionTable, wrongValue } from "./_usage.ts";

const OPTIONS = {
  seconds: { type: "string", value: "N", help: "How long it goes on (default: 15)." },
  files: { type: "string", value: "N", help: "How many files there are (default: 20000)." },
  rows: { type: "string", value: "N", help: "How many rows there are (default: 100000)." },
  "no-loop": { type: "boolean", help: "Leave out the task that never yields." },
  sandbox: {
    type: "boolean",
    help: "Give each worker the least permissions; needs deno run --unstable-worker-options, or " +
      '"unstable": ["worker-options"] in deno.json.',
  },
  plain: { type: "boolean", help: "Lines in place of the table." },
  json: { type: "boolean", help: "One JSON object on a line for each event, and no summary." },
} as const satisfies OptionTable;

/** Milliseconds that tasks get at the end. */
const GRACE = 2_000;

/** `leash demo`. */
export const demo = defineCommand({
  name: "demo",
  summary: "Watch it at work for 15 seconds, in a temporary folder.",
  usage: "[options]",
  about: `In a temporary folder it makes files and an SQLite database, and then, each in a worker of
its own: two tasks that write more of them, two ready-made sweepers that remove what has
expired, one that fails now and then and is tried again, and one that never yields to the event
loop. That one is ended after its timeout: it runs in an isolation that this Deno can end whatever
the code in it does. Meanwhile it is measured for how long the main thread was ever blocked.

It leaves nothing behind. Ctrl-C ends it early.`,
  options: OPTIONS,
  async run({ values, positionals, output }) {
    if (positionals.length > 0) {
      throw wrongValue("arguments", "none", onePositional(positionals, "options"));
    }
    const seconds = parseCount(values.seconds ?? "15", "--seconds", 1);
    const files = parseCount(values.files ?? "20000", "--files", 1);
    const rows = parseCount(values.rows ?? "100000", "--rows", 1);
    if (values.json && values.plain) {
      throw wrongValue("options", "one of --json and --plain", "both");
    }
    const view = chooseView(output, values);
    await using cleanup = new AsyncDisposableStack();
    using meter = new StallMeter();
    const tally = new DemoTally();
    const startedAt = Date.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const end = await runSession({
        output,
        view,
        title: "leash demo",
        hint: "Ctrl-C ends it early.",
        stamp: (at) => `${((at - startedAt) / 1_000).toFixed(1).padStart(5)}s`,
        describeValue: describeDemoValue,
        gracePeriod: GRACE,
        endWhenFinished: false,
        endOnHangUp: true,
        onEvent: (event) => tally.event(event),
        start: async ({ scheduler, signal, stop }) => {
          // Not before: from now on a signal does not end the process with the folder left behind.
          const { path } = cleanup.use(new TempDir());
          if (view === "plain") {
            output.write(
              `leash demo: making ${counted(files, "file")} and ${
                counted(rows, "row")
              } in ${path}\n`,
            );
          }
          const over = new DOMException("The demo is over", "AbortError");
          timer = setTimeout(() => stop(over), seconds * 1_000);
          await startDemo(scheduler, signal, {
            dir: path,
            files,
            rows,
            loop: !values["no-loop"],
            sandbox: values.sandbox ?? false,
          });
        },
      });
      if (view === "json") return 0;
      const { paint } = output;
      const took = formatDuration(Math.round((Date.now() - startedAt) / 100) * 100);
      output.write(
        `\n${paint("bold", `In ${took}, each task in a worker of its own:`)}\n\n` +
          `${tally.report(end.tasks, end.stuck, paint)}\n\n` +
          `longest stall of the main thread: ${formatDuration(Math.round(meter.longest))}\n`,
      );
      // Not what the scheduler believes: what the runtime says.
      const alive = await liveWorkers();
      const unnamed = alive.filter(({ worker }) => !end.stuck.some((one) => one.worker === worker));
      if (unnamed.length > 0) {
        const names = unnamed.map(({ worker }) => worker).join(", ");
        output.write(`workers that nobody knew to be alive: ${names}\n`);
        return 1;
      }
      output.write(`${describeAlive(end.stuck)}\n`);
      if (end.stuck.length > 0) {
        output.write(
          "This Deno cannot end a worker that never yields, so the process ends instead.\n",
        );
      }
      return 0;
    } finally {
      clearTimeout(timer);
    }
  },
});
