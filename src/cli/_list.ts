import { formatDuration } from "../base/format_duration.ts";
import type { TaskDefinition } from "../scheduler/task_definition.ts";
import { defineCommand } from "./_command.ts";
import { dueTimes } from "./_due_times.ts";
import { formatLocal, formatUtc } from "./_format.ts";
import { toJson } from "./_json.ts";
import { checkTasks, loadTasks } from "./_load_tasks.ts";
import type { Paint } from "./_style.ts";
import { sanitize } from "./_text.ts";
import { onePositional, type OptionTable } from "./_usage.ts";
import { parseCount } from "./_units.ts";

const OPTIONS = {
  count: { type: "string", short: "n", value: "N", help: "How many due times (default: 5)." },
  json: { type: "boolean", help: "One JSON object on a line for each task." },
} as const satisfies OptionTable;

/** `leash list`. */
export const list = defineCommand({
  name: "list",
  summary: "Show when the tasks of a module are due, and check their options.",
  usage: "MODULE [options]",
  about: `MODULE is a path or a URL; see "leash run --help" for what it exports. No task is run.
Intervals are counted from the start of the scheduler: they are shown as if it started now.`,
  options: OPTIONS,
  async run({ values, positionals, output }) {
    const file = onePositional(positionals, "MODULE, a module that exports tasks");
    const count = parseCount(values.count ?? "5", "--count", 1);
    const tasks = await loadTasks(file);
    const names = await checkTasks(tasks);
    const now = Date.now();
    const texts = tasks.map((task, index) => {
      const due = dueTimes(task.options.schedule, now, count);
      return values.json
        ? toJson(asData(names[index]!, task, due))
        : asText(names[index]!, task, due, now, output.paint);
    });
    output.write(`${texts.join(values.json ? "\n" : "\n\n")}\n`);
    return 0;
  },
});

function asData(name: string, { module, options }: TaskDefinition, due: number[]): unknown {
  const { kind, description, base, sliding } = options.schedule;
  return {
    task: name,
    module,
    schedule: { kind, description, base, sliding },
    paused: options.paused ?? false,
    due: due.map((time) => new Date(time).toISOString()),
  };
}

function asText(
  name: string,
  { module, options }: TaskDefinition,
  due: number[],
  now: number,
  paint: Paint,
): string {
  const { schedule } = options;
  const jitter = (options.jitter ?? 0) + schedule.jitter;
  const remarks = [
    ...(options.paused ? ["begins paused"] : []),
    ...(jitter > 0 ? [`each wait is longer by up to ${Math.round(jitter * 100)}%`] : []),
  ];
  const lines = [
    `${paint("bold", sanitize(name))}  ${paint("cyan", sanitize(schedule.description))}` +
    (remarks.length === 0 ? "" : ` (${remarks.join(", ")})`),
    paint("dim", `  ${module.startsWith("data:") ? "data:…" : sanitize(module)}`),
    ...due.map((time) => `  ${formatDue(time, now)}`),
  ];
  if (schedule.sliding) lines.push("  and again after the end of each run");
  else if (due.length === 0) lines.push("  never");
  return lines.join("\n");
}

function formatDue(time: number, now: number): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const local = zone === "UTC" ? "" : `${formatLocal(time)} ${zone}  `;
  const wait = time <= now ? "at once" : `in ${formatDuration(time - now)}`;
  return `${local}${formatUtc(time)}  ${wait}`;
}
