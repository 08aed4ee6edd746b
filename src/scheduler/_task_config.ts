import { createBackoff } from "../base/backoff.ts";
import { toMilliseconds } from "../base/duration.ts";
import { checkIsolation } from "../pool/check_isolation.ts";
import type { Isolation } from "../pool/isolation.ts";
import { moduleName, moduleUrl } from "../pool/module_url.ts";
import type { WorkerPermissions } from "../pool/permissions.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { checkInput } from "./_check_input.ts";
import type { BaseTaskOptions, OverlapPolicy } from "./task_options.ts";

/** Task options, checked and with their defaults. Times are in milliseconds. */
export interface TaskConfig {
  readonly name: string;
  readonly module: string;
  readonly schedule: Schedule;
  readonly input: unknown;
  readonly timeout: number | undefined;
  readonly gracePeriod: number;
  readonly jitter: number;
  readonly overlap: OverlapPolicy;
  readonly maxConcurrent: number;
  readonly maxAttempts: number;
  readonly retryDelay: (failures: number) => number;
  readonly maxRestarts: number;
  readonly restartWindow: number;
  readonly restartDelay: (failures: number) => number;
  readonly isolation: Isolation;
  readonly permissions: WorkerPermissions | undefined;
  readonly memoryLimit: number | undefined;
  readonly denoFlags: readonly string[] | undefined;
  readonly idleTimeout: number;
  readonly maxRunsPerWorker: number;
  readonly readyTimeout: number;
  readonly paused: boolean;
}

const KEYS = new Set([
  "name",
  "schedule",
  "input",
  "timeout",
  "gracePeriod",
  "jitter",
  "overlap",
  "maxConcurrent",
  "retry",
  "restart",
  "isolation",
  "permissions",
  "memoryLimit",
  "denoFlags",
  "idleTimeout",
  "maxRunsPerWorker",
  "readyTimeout",
  "paused",
]);
const POLICIES = ["skip", "queue", "replace", "allow"];

/**
 * Checks what the user gave for a task.
 *
 * @param module The module's URL.
 * @param options The options.
 * @param defaultGrace The scheduler's grace period.
 * @throws {TypeError | RangeError} When something is wrong: one error that says what and how to mend
 * it.
 */
export function taskConfig(
  module: string | URL,
  options: BaseTaskOptions & { input?: unknown },
  defaultGrace: number,
): TaskConfig {
  const url = moduleUrl(module, "add a task");
  const name = options?.name ?? moduleName(url);
  const problem = (why: string): TypeError => new TypeError(`Cannot add task "${name}": ${why}`);
  if (typeof options !== "object" || options === null) {
    throw problem(`expected options with a schedule: received ${Deno.inspect(options)}`);
  }
  if (typeof name !== "string" || name === "") {
    throw problem(`expected a name that is not empty: received ${Deno.inspect(name)}`);
  }
  for (const key of Object.keys(options)) {
    if (!KEYS.has(key)) {
      throw problem(`expected only the options ${[...KEYS].join(", ")}: received ${key}`);
    }
  }
  const { schedule, overlap = "skip", timeout, jitter = 0, retry, restart = {} } = options;
  if (typeof schedule?.next !== "function") {
    throw problem(
      `expected a schedule such as every({ minutes: 5 }): received ${Deno.inspect(schedule)}`,
    );
  }
  if (!POLICIES.includes(overlap)) {
    throw problem(`expected ${POLICIES.join(", ")} as overlap: received ${Deno.inspect(overlap)}`);
  }
  if (!(jitter >= 0 && jitter <= 1)) {
    throw problem(`expected a number between 0 and 1 as jitter: received ${jitter}`);
  }
  if (retry !== undefined && schedule.sliding) {
    throw problem(`a continuous task goes on by itself: use restart in place of retry`);
  }
  if (options.restart !== undefined && !schedule.sliding) {
    throw problem(`restart is for continuous schedules: use retry in its place`);
  }
  if (options.maxConcurrent !== undefined && overlap !== "allow") {
    throw problem(`maxConcurrent needs overlap: "allow": received ${overlap}`);
  }
  const { isolation, permissions, memoryLimit, denoFlags } = checkIsolation(options, name, problem);
  checkInput(options.input, name);
  return {
    name,
    module: url,
    schedule,
    input: options.input,
    timeout: timeout === undefined
      ? undefined
      : toMilliseconds(timeout, `timeout of task "${name}"`, { minimum: 1 }),
    gracePeriod: options.gracePeriod === undefined
      ? defaultGrace
      : toMilliseconds(options.gracePeriod, `gracePeriod of task "${name}"`),
    jitter,
    overlap,
    maxConcurrent: overlap === "allow"
      ? count(options.maxConcurrent ?? navigator.hardwareConcurrency, "maxConcurrent")
      : 1,
    maxAttempts: count(retry === undefined ? 1 : retry.maxAttempts, "retry.maxAttempts"),
    retryDelay: createBackoff(retry?.backoff),
    maxRestarts: count(restart.maxRestarts ?? 10, "restart.maxRestarts", 0),
    restartWindow: toMilliseconds(restart.within ?? 60_000, "restart.within"),
    restartDelay: createBackoff(restart.backoff),
    isolation,
    permissions,
    memoryLimit,
    denoFlags,
    idleTimeout: toMilliseconds(options.idleTimeout ?? 30_000, `idleTimeout of task "${name}"`, {
      allowInfinity: true,
    }),
    maxRunsPerWorker: count(options.maxRunsPerWorker ?? Infinity, "maxRunsPerWorker"),
    readyTimeout: toMilliseconds(options.readyTimeout ?? 60_000, `readyTimeout of task "${name}"`, {
      minimum: 1,
    }),
    paused: options.paused ?? false,
  };

  function count(value: number, option: string, minimum = 1): number {
    if ((Number.isInteger(value) || value === Infinity) && value >= minimum) return value;
    throw problem(
      `expected a whole number of at least ${minimum} as ${option}: received ${
        Deno.inspect(value)
      }`,
    );
  }
}
