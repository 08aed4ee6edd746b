import { systemClock } from "../base/clock.ts";
import { toMilliseconds } from "../base/duration.ts";
import { checkIsolation } from "./check_isolation.ts";
import { moduleName, moduleUrl } from "./module_url.ts";
import type { RunPoolOptions } from "./run_pool_options.ts";
import { TRANSPORTS } from "./transport_kinds.ts";
import type { WorkerPoolOptions } from "./worker_pool_options.ts";

/** Options of a pool, checked and with their defaults. Times are in milliseconds. */
export interface PoolConfig {
  readonly name: string;
  readonly maxQueue: number;
  readonly gracePeriod: number;
  readonly heartbeat: { readonly timeout: number; readonly kills: boolean } | undefined;
  readonly run: Omit<RunPoolOptions, "onEvent">;
}

/** More workers than this for each processor only wait for one another. */
const MOST_FOR_EACH_PROCESSOR = 32;

/** A worker shows so many signs of life in the time after which it would be taken for hung. */
const BEATS = 8;

/**
 * Checks what the user gave for a pool.
 *
 * @throws {TypeError | RangeError} When something is wrong: one error that says what and how to mend
 * it.
 */
export function poolConfig(module: string | URL, options: WorkerPoolOptions): PoolConfig {
  const url = moduleUrl(module, "make a WorkerPool");
  const name = options?.name ?? moduleName(url);
  const problem = (why: string): TypeError =>
    new TypeError(`Cannot make the WorkerPool "${name}": ${why}`);
  if (!(options?.signal instanceof AbortSignal)) {
    throw problem(
      `expected an AbortSignal as signal, as shutdownSignal() gives: received ` +
        Deno.inspect(options?.signal),
    );
  }
  const { onHang = "report", heartbeatTimeout, size = {}, clock = systemClock } = options;
  if (onHang !== "report" && onHang !== "kill") {
    throw problem(`expected "report" or "kill" as onHang: received ${Deno.inspect(onHang)}`);
  }
  const most = MOST_FOR_EACH_PROCESSOR * navigator.hardwareConcurrency;
  const maxWorkers = count(size.max ?? navigator.hardwareConcurrency, "size.max", 1, most);
  const heartbeat = heartbeatTimeout === undefined ? undefined : {
    timeout: toMilliseconds(heartbeatTimeout, "heartbeatTimeout", { minimum: 20 }),
    kills: onHang === "kill",
  };
  return {
    name,
    maxQueue: count(options.maxQueue ?? Infinity, "maxQueue", 0),
    gracePeriod: toMilliseconds(options.gracePeriod ?? 10_000, "gracePeriod"),
    heartbeat,
    run: {
      module: url,
      task: name,
      ...isolation(),
      minWorkers: count(size.min ?? 0, "size.min", 0, maxWorkers),
      maxWorkers,
      concurrency: count(options.concurrencyPerWorker ?? 1, "concurrencyPerWorker", 1, 128),
      idleTimeout: toMilliseconds(options.idleTimeout ?? 30_000, "idleTimeout", {
        allowInfinity: true,
      }),
      maxRunsPerWorker: count(options.maxRunsPerWorker ?? Infinity, "maxRunsPerWorker", 1),
      maxWorkerAge: toMilliseconds(options.maxWorkerAge ?? Infinity, "maxWorkerAge", {
        allowInfinity: true,
      }),
      maxWorkerHeap: count(options.maxWorkerHeap ?? Infinity, "maxWorkerHeap", 1),
      needsDefault: false,
      beatInterval: heartbeat === undefined ? 0 : heartbeat.timeout / BEATS,
      readyTimeout: toMilliseconds(options.readyTimeout ?? 60_000, "readyTimeout", { minimum: 1 }),
      killTimeout: toMilliseconds(options.killTimeout ?? 2_000, "killTimeout"),
      clock,
    },
  };

  function isolation(): Pick<
    RunPoolOptions,
    "transport" | "permissions" | "memoryLimit" | "denoFlags"
  > {
    const { isolation, ...checked } = checkIsolation(options, name, problem);
    return { transport: TRANSPORTS[isolation], ...checked };
  }

  function count(value: number, option: string, minimum: number, maximum = Infinity): number {
    const isWhole = Number.isInteger(value) || (value === Infinity && maximum === Infinity);
    if (isWhole && value >= minimum && value <= maximum) return value;
    throw problem(
      `expected a whole number from ${minimum} to ${maximum} as ${option}: received ` +
        Deno.inspect(value),
    );
  }
}
