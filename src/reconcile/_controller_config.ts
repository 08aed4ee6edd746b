import { createBackoff } from "../base/backoff.ts";
import { systemClock } from "../base/clock.ts";
import { toMilliseconds } from "../base/duration.ts";
import { show } from "../base/show.ts";
import { checkIsolation } from "../pool/check_isolation.ts";
import { moduleName, moduleUrl } from "../pool/module_url.ts";
import type { RunPoolOptions } from "../pool/run_pool_options.ts";
import { TRANSPORTS } from "../pool/transport_kinds.ts";
import { checkLimiter } from "./_check_limiter.ts";
import { checkSource } from "./_check_source.ts";
import { guardedLimiter } from "./_guarded_limiter.ts";
import { WrappedModule } from "./_wrapped_module.ts";
import type { ControllerOptions } from "./controller_options.ts";
import { exponentialLimiter } from "./exponential_limiter.ts";
import type { RateLimiter } from "./rate_limiter.ts";

/** Options, checked and with their defaults. Times are in milliseconds. */
export interface ControllerConfig {
  readonly name: string;
  readonly module: WrappedModule;
  readonly concurrency: number;
  readonly timeout: number | undefined;
  readonly gracePeriod: number;
  readonly resync: number | undefined;
  readonly syncTimeout: number;
  readonly rateLimiter: RateLimiter;
  readonly pollDelay: (times: number) => number;
  readonly minInterval: number;
  readonly slowAfter: number;
  readonly hotLoop: { readonly runs: number; readonly within: number } | undefined;
  readonly pool: Omit<RunPoolOptions, "onEvent">;
}

/**
 * Checks what the user gave for a controller.
 *
 * @throws {TypeError | RangeError} When something is wrong: one error that says what.
 */
export function controllerConfig(
  module: string | URL,
  options: ControllerOptions,
): ControllerConfig {
  const url = moduleUrl(module, "make a Controller");
  const name = options?.name ?? moduleName(url);
  const problem = (why: string): TypeError =>
    new TypeError(`Cannot make the Controller "${name}": ${why}`);
  if (!(options?.signal instanceof AbortSignal)) {
    throw problem(
      `expected an AbortSignal as signal, as shutdownSignal() gives: received ` +
        Deno.inspect(options?.signal),
    );
  }
  const { clock = systemClock, hotLoop = {}, sources = [] } = options;
  if (!Array.isArray(sources)) {
    throw problem(`expected an array of sources: received ${show(sources)}`);
  }
  for (const source of sources) checkSource(source, `make the Controller "${name}"`);
  checkLimiter(options.rateLimiter, `make the Controller "${name}"`);
  const { isFresh, pollBackoff = {} } = options;
  if (isFresh !== undefined && typeof isFresh !== "function") {
    throw problem(`expected a function as isFresh: received ${show(isFresh)}`);
  }
  for (const [option, value] of Object.entries({ hotLoop, pollBackoff })) {
    if (typeof value === "object" && value !== null) continue;
    if (option === "hotLoop" && value === false) continue;
    throw problem(`expected an object as ${option}: received ${show(value)}`);
  }
  const { isolation, permissions, memoryLimit } = checkIsolation(options, name, problem);
  const wrapped = new WrappedModule(url, permissions);
  const concurrency = count(options.concurrency ?? 1, "concurrency");
  const perWorker = count(options.concurrencyPerWorker ?? 1, "concurrencyPerWorker");
  const maxWorkers = Math.ceil(concurrency / perWorker);
  const minWorkers = count(options.minWorkers ?? 0, "minWorkers", 0);
  if (minWorkers > maxWorkers) {
    throw problem(`expected at most ${maxWorkers} as minWorkers: received ${minWorkers}`);
  }
  return {
    name,
    module: wrapped,
    concurrency,
    timeout: options.timeout === undefined
      ? undefined
      : toMilliseconds(options.timeout, "timeout", { minimum: 1 }),
    gracePeriod: toMilliseconds(options.gracePeriod ?? 10_000, "gracePeriod"),
    resync: options.resync === undefined
      ? undefined
      : toMilliseconds(options.resync, "resync", { minimum: 1 }),
    syncTimeout: toMilliseconds(options.syncTimeout ?? 120_000, "syncTimeout"),
    rateLimiter: options.rateLimiter === undefined
      ? exponentialLimiter()
      : guardedLimiter(options.rateLimiter, name),
    pollDelay: createBackoff({ max: 300_000, jitter: "none", ...pollBackoff }),
    minInterval: toMilliseconds(options.minInterval ?? 0, "minInterval"),
    slowAfter: toMilliseconds(options.slowAfter ?? 60_000, "slowAfter"),
    hotLoop: hotLoop === false ? undefined : {
      runs: count(hotLoop.runs ?? 30, "hotLoop.runs"),
      within: toMilliseconds(hotLoop.within ?? 10_000, "hotLoop.within", { minimum: 1 }),
    },
    pool: {
      module: wrapped.url,
      task: name,
      transport: TRANSPORTS[isolation],
      permissions,
      memoryLimit,
      minWorkers,
      maxWorkers,
      concurrency: perWorker,
      idleTimeout: toMilliseconds(options.idleTimeout ?? 30_000, "idleTimeout", {
        allowInfinity: true,
      }),
      maxRunsPerWorker: count(options.maxRunsPerWorker ?? Infinity, "maxRunsPerWorker"),
      maxWorkerAge: Infinity,
      maxWorkerHeap: Infinity,
      needsDefault: true,
      beatInterval: 0,
      readyTimeout: toMilliseconds(options.readyTimeout ?? 60_000, "readyTimeout", { minimum: 1 }),
      killTimeout: toMilliseconds(options.killTimeout ?? 2_000, "killTimeout"),
      clock,
    },
  };

  function count(value: number, option: string, minimum = 1): number {
    const isEndless = value === Infinity && option === "maxRunsPerWorker";
    if ((Number.isInteger(value) && value >= minimum) || isEndless) return value;
    throw problem(
      `expected a whole number of at least ${minimum} as ${option}: received ` +
        Deno.inspect(value),
    );
  }
}
