import { systemClock } from "../../src/base/clock.ts";
import type { StuckWorker } from "../../src/base/errors.ts";
import type { WorkerEvent } from "../../src/pool/events.ts";
import { liveWorkers } from "../../src/pool/live_workers.ts";
import type { RunRequest, RunSettlement } from "../../src/pool/run.ts";
import { RunPool } from "../../src/pool/run_pool.ts";
import type { RunPoolOptions } from "../../src/pool/run_pool_options.ts";
import { EventLog } from "./event_log.ts";
import { fixture } from "./fixture.ts";
import { type TestedIsolation, transportOf } from "./isolations.ts";

let count = 0;

/** What is different from the pool that a test gets by itself. */
export interface TestPoolOptions extends Partial<RunPoolOptions> {
  isolation?: TestedIsolation;
}

/** A pool for a test, with the events that it gave, closed at the end of the scope. */
export class TestPool implements AsyncDisposable {
  readonly log = new EventLog<WorkerEvent>();
  /** Unique in the process, so that its workers can be told from those of other tests. */
  readonly task = `test-${crypto.randomUUID().slice(0, 8)}-${++count}`;
  readonly pool: RunPool;

  constructor(
    module: string | URL,
    { isolation = "worker", ...options }: TestPoolOptions = {},
  ) {
    this.pool = new RunPool({
      module: module instanceof URL || module.includes(":") ? String(module) : fixture(module).href,
      task: this.task,
      transport: transportOf(isolation),
      permissions: undefined,
      memoryLimit: undefined,
      minWorkers: 0,
      maxWorkers: 1,
      concurrency: 1,
      maxWorkerAge: Infinity,
      maxWorkerHeap: Infinity,
      needsDefault: true,
      beatInterval: 0,
      idleTimeout: Infinity,
      maxRunsPerWorker: Infinity,
      readyTimeout: 60_000,
      // What can be ended is, but a busy machine takes its time. Tests of what cannot say less.
      killTimeout: 60_000,
      clock: systemClock,
      onEvent: this.log.sink,
      ...options,
    });
  }

  /** Runs the task; what is not given is as long and as late as it can be. */
  run(input?: unknown, request: Partial<RunRequest> = {}): Promise<RunSettlement> {
    return this.pool.execute({
      runId: `run-${++count}`,
      attempt: 1,
      input,
      timeout: undefined,
      gracePeriod: 10_000,
      signal: new AbortController().signal,
      ...request,
    });
  }

  /**
   * Begins a run and waits until the task itself has said, by its first progress, that it runs.
   */
  async running(
    input?: unknown,
    request: Partial<RunRequest> = {},
  ): Promise<{ settled: Promise<RunSettlement>; abort: (reason?: unknown) => void }> {
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const settled = this.run(input, {
      signal: controller.signal,
      onProgress: () => resolve(),
      ...request,
    });
    await promise;
    return { settled, abort: (reason) => controller.abort(reason) };
  }

  /** The workers of this pool that the runtime itself knows to be alive. */
  async alive(): Promise<number> {
    return (await liveWorkers()).filter(({ task }) => task === this.task).length;
  }

  close(reason: unknown = new Error("closed by the test"), grace = 1_000): Promise<StuckWorker[]> {
    return this.pool.close(reason, grace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close(undefined, 0);
  }
}
