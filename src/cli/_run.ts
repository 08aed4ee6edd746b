import { defineCommand } from "./_command.ts";
import { counted } from "./_format.ts";
import { addTasks, loadTasks } from "./_load_tasks.ts";
import { chooseView } from "./_create_view.ts";
import { describeAlive, runSession } from "./_session.ts";
import { DURATION_HELP, parseDuration } from "./_units.ts";
import { onePositional, type OptionTable, wrongValue } from "./_usage.ts";

const OPTIONS = {
  json: {
    type: "boolean",
    help: "One JSON object on a line for each event: those that an onEvent sink of the library " +
      "gets, but for run-progress. Times are milliseconds since the epoch.",
  },
  plain: {
    type: "boolean",
    help: "A readable line for each run and each problem, also on a terminal.",
  },
  grace: {
    type: "string",
    value: "DURATION",
    help: "How long tasks get to end when it stops (default: 10s).",
  },
} as const satisfies OptionTable;

/** `leash run`. */
export const run = defineCommand({
  name: "run",
  summary: "Run the tasks of a module until it is told to stop.",
  usage: "MODULE [options]",
  about: `MODULE is a path or a URL. Every export that is a task, or an array of tasks, is run:

  import { every, task } from "@leash/leash";

  export default [
    task<typeof import("./sweep.ts")>(new URL("./sweep.ts", import.meta.url), {
      schedule: every({ minutes: 5 }, { immediate: true }),
      timeout: { seconds: 30 },
      input: { dir: "/var/cache/thumbnails" },
    }),
  ];

On a terminal a table shows what the tasks are doing; elsewhere each run is a line.

Ctrl-C, SIGINT and SIGTERM stop it: no further run begins, tasks are told and get the grace period.
It exits with 0 when all are gone in time, with 1 when one had to be left behind. A second signal
ends it at once. It also ends when nothing will ever run again: with 0, or with 1 when a continuous
task was given up because it failed too often.

${DURATION_HELP}`,
  options: OPTIONS,
  async run({ values, positionals, output }) {
    const file = onePositional(positionals, "MODULE, a module that exports tasks");
    const gracePeriod = parseDuration(values.grace ?? "10s", "--grace");
    if (values.json && values.plain) {
      throw wrongValue("options", "one of --json and --plain", "both");
    }
    const tasks = await loadTasks(file);
    const view = chooseView(output, values);
    const end = await runSession({
      output,
      view,
      title: `leash run ${file.split(/[/\\]/).at(-1)}`,
      hint: "Ctrl-C stops all tasks and waits for them.",
      gracePeriod,
      endWhenFinished: true,
      start: ({ scheduler }) => addTasks(scheduler, tasks),
    });
    if (view !== "json") {
      const givenUp = end.givenUp.length === 0 ? "" : `, given up: ${end.givenUp.join(", ")}`;
      output.write(
        `stopped ${counted(end.tasks.length, "task")}${givenUp}; ${describeAlive(end.stuck)}\n`,
      );
    }
    return end.stuck.length > 0 || (end.finished && end.givenUp.length > 0) ? 1 : 0;
  },
});
