import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunResult } from "../scheduler/run_result.ts";
import { after } from "../schedule/after.ts";
import { cron } from "../schedule/cron.ts";
import { every } from "../schedule/every.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { FilesSweepInput, FilesSweepResult } from "../sweepers/files.ts";
import { defineCommand } from "./_command.ts";
import { chooseView } from "./_create_view.ts";
import { toJson } from "./_json.ts";
import { describeAlive, runSession } from "./_session.ts";
import { OPTIONS } from "./_sweep_options.ts";
import { describeSweep, reportSweep } from "./_sweep_result.ts";
import { DURATION_HELP, parseCount, parseDuration, parseSize, SIZE_HELP } from "./_units.ts";
import { onePositional, type OptionValues, UsageError, wrongValue } from "./_usage.ts";

type Values = OptionValues<typeof OPTIONS>;

const SWEEPER = new URL("../sweepers/files.ts", import.meta.url);

/** Never called. It puts the sweeper in this module's graph, for `deno cache` and `deno compile`. */
export const _sweeper = (): Promise<unknown> => import("../sweepers/files.ts");

/** `leash sweep`. */
export const sweep = defineCommand({
  name: "sweep",
  summary: "Remove old files from a folder, or the oldest until the rest is within a limit.",
  usage: "DIR [options]",
  about:
    `At least one of --older-than, --max-size, --max-files, --age-from name and --buckets is needed.
Several work together: what is too old goes first. Symbolic links are never followed, and never
removed but in a bucket; home directories and folders of the operating system are refused. Try it
with --dry-run first.

Without --every and --cron it sweeps once and tells what it did. With one of them it sweeps at once,
and then whenever it is due, until Ctrl-C, SIGINT or SIGTERM.

Exit codes of one sweep: 0 all that had to go is gone; 1 the sweep failed, was stopped, or something
could not be removed. With a schedule: 0 when it could be stopped within the grace period.

${DURATION_HELP}
${SIZE_HELP}

--sandbox lets the worker read and write DIR and do nothing else. Deno ends the process with exit
code 70 if that is not enabled: start with deno run --unstable-worker-options …, or have
"unstable": ["worker-options"] in your deno.json.`,
  options: OPTIONS,
  async run({ values, positionals, output }) {
    const dir = absolute(onePositional(positionals, "DIR, the folder to sweep"));
    const input = readInput(dir, values);
    const schedule = readSchedule(values);
    const gracePeriod = parseDuration(values.grace ?? "10s", "--grace");
    const timeout = values.timeout === undefined
      ? undefined
      : parseDuration(values.timeout, "--timeout", 1);
    if (values.json && values.plain) {
      throw wrongValue("options", "one of --json and --plain", "both");
    }
    const kind = chooseView(output, values);
    const once = schedule === undefined;
    let result: RunResult | undefined;
    const end = await runSession({
      output,
      view: kind === "json" ? "json-results" : once ? "status" : kind,
      title: once ? `Sweeping ${dir}` : `leash sweep ${dir}`,
      hint: "Ctrl-C stops it.",
      describeValue: (value) => describeSweep(value as FilesSweepResult),
      notesOfSuccess: true,
      gracePeriod,
      endWhenFinished: true,
      onEvent: (event) => {
        if (event.type === "run-ended") result = event.result;
      },
      start: ({ scheduler }) => {
        const task = scheduler.add<typeof import("../sweepers/files.ts")>(SWEEPER, {
          name: "sweep",
          schedule: schedule ?? after(0),
          input,
          timeout,
          permissions: values.sandbox
            ? { read: [dir], write: values["dry-run"] ? false : [dir] }
            : undefined,
        });
        // Calendar times have no "at once".
        if (schedule?.kind === "cron") void task.trigger();
      },
    });
    if (end.stuck.length > 0) console.error(`leash: ${describeAlive(end.stuck)}`);
    if (!once) {
      if (kind !== "json") output.write(`stopped; ${describeAlive(end.stuck)}\n`);
      return end.stuck.length > 0 ? 1 : 0;
    }
    if (result?.outcome !== "succeeded") {
      const { outcome = "skipped", error, reason } = result ?? {};
      const why = error ?? reason;
      console.error(`leash: ${outcome}: ${why instanceof Error ? why.message : toJson(why)}`);
      return 1;
    }
    const done = result.value as FilesSweepResult;
    if (kind !== "json") output.write(reportSweep(done, output.paint));
    return done.failed > 0 || end.stuck.length > 0 ? 1 : 0;
  },
});

/** The worker may not even ask for the current directory. */
function absolute(dir: string): string {
  return resolve(/^file:\/\//i.test(dir) ? fileURLToPath(dir) : dir);
}

const NOT_FOR_BUCKETS = [
  "age-from",
  "max-size",
  "max-files",
  "include",
  "exclude",
  "max-depth",
  "empty-dirs",
] as const satisfies (keyof Values)[];

function readInput(dir: string, values: Values): FilesSweepInput {
  const { include, exclude } = values;
  const ageFrom = values["age-from"];
  if (ageFrom !== undefined && !isAge(ageFrom)) {
    throw wrongValue("--age-from", "mtime, atime or name", ageFrom);
  }
  const olderThan = optional(values["older-than"], parseDuration, "--older-than");
  const maxTotalSize = optional(values["max-size"], parseSize, "--max-size");
  const maxFiles = optional(values["max-files"], parseCount, "--max-files");
  if (ageFrom === "name" && olderThan !== undefined) {
    throw new UsageError(
      "--older-than has no meaning with --age-from name: the name holds the end",
    );
  }
  if (
    ageFrom !== "name" && olderThan === undefined && maxTotalSize === undefined &&
    maxFiles === undefined && !values.buckets
  ) {
    throw wrongValue(
      "options",
      "at least one of --older-than, --max-size, --max-files, --age-from name and --buckets, to " +
        "say what has to go",
      "none",
    );
  }
  const other = NOT_FOR_BUCKETS.find((option) => values[option] !== undefined);
  if (values.buckets && other !== undefined) {
    throw new UsageError(`--${other} has no meaning with --buckets: a bucket goes as a whole`);
  }
  const input: FilesSweepInput = { dir };
  if (values.buckets) input.buckets = true;
  if (ageFrom !== undefined) input.ageFrom = ageFrom;
  if (olderThan !== undefined) input.olderThan = olderThan;
  if (maxTotalSize !== undefined) input.maxTotalSize = maxTotalSize;
  if (maxFiles !== undefined) input.maxFiles = maxFiles;
  const maxDepth = optional(values["max-depth"], parseCount, "--max-depth");
  if (maxDepth !== undefined) input.maxDepth = maxDepth;
  if (include !== undefined) input.include = include;
  if (exclude !== undefined) input.exclude = exclude;
  if (values["empty-dirs"]) input.removeEmptyDirs = true;
  if (values["dry-run"]) input.dryRun = true;
  return input;
}

function readSchedule(values: Values): Schedule | undefined {
  const zone = values["time-zone"];
  if (values.cron !== undefined && values.every !== undefined) {
    throw wrongValue("options", "one of --every and --cron", "both");
  }
  if (zone !== undefined && values.cron === undefined) {
    throw wrongValue("--time-zone", "--cron beside it", "none");
  }
  if (values.every !== undefined) {
    return every(parseDuration(values.every, "--every", 1), { immediate: true });
  }
  if (values.cron === undefined) return undefined;
  try {
    return cron(values.cron, zone === undefined ? {} : { timeZone: zone });
  } catch (error) {
    throw new UsageError(`--cron: ${(error as Error).message}`, { cause: error });
  }
}

function optional<Value>(
  text: string | undefined,
  parse: (text: string, option: string) => Value,
  option: string,
): Value | undefined {
  return text === undefined ? undefined : parse(text, option);
}

function isAge(text: string): text is "mtime" | "atime" | "name" {
  return ["mtime", "atime", "name"].includes(text);
}
