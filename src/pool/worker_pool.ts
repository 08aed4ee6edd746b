import { systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { ClosedError, QueueFullError, StuckWorkerError } from "../base/errors.ts";
import { type EventSink, guardSink } from "../base/events.ts";
import { Owner } from "../base/owner.ts";
import { report } from "../base/report.ts";
import { webLocks } from "../base/web_locks.ts";
import type { UntypedTaskModule } from "../worker/task_module.ts";
import { HangWatch } from "./_hang_watch.ts";
import { mapRuns } from "./_map.ts";
import { type PoolConfig, poolConfig } from "./_pool_config.ts";
import { describeWorkerEvent } from "./describe_worker_event.ts";
import type { WorkerEvent } from "./events.ts";
import type { PoolCall, PoolInput, PoolOutput, PoolRunArguments } from "./pool_module.ts";
import type { RunRequest } from "./run.ts";
import { RunPool, type WorkerSnapshot } from "./run_pool.ts";
import type { PoolMapOptions, PoolRunOptions, WorkerPoolOptions } from "./worker_pool_options.ts";

/**
 * Workers that run the functions of one module, as many as are needed and no more than allowed.
 *
 * Everything belongs to the signal that it is given: when that aborts, every run rejects with its
 * reason, and every worker is gone before `finished` resolves. Small runs share messages under load;
 * a single one takes one message, at once.
 *
 * @example
 * ```ts
 * import { WorkerPool } from "@leash/leash";
 * import { assertEquals } from "@std/assert";
 *
 * type Module = { default: (n: number) => number; square: (n: number) => number };
 * const module = "data:text/javascript,export default (n) => n + 1; export const square = (n) => n * n";
 *
 * const owner = new AbortController();
 * await using pool = new WorkerPool<Module>(module, { signal: owner.signal, size: { max: 2 } });
 * assertEquals(await pool.run(1), 2);
 * assertEquals(await pool.call("square", 5), 25);
 * const results: number[] = [];
 * for await (const result of pool.map([1, 2, 3])) results.push(result);
 * assertEquals(results, [2, 3, 4]);
 * ```
 */
export class WorkerPool<Module = UntypedTaskModule> implements AsyncDisposable {
  /** What its workers are called. */
  readonly name: string;
  /**
   * Settles when the pool has stopped and every worker is gone. Rejects with a `StuckWorkerError` when
   * workers live on.
   */
  readonly finished: Promise<void>;
  readonly #config: PoolConfig;
  readonly #owner: Owner;
  readonly #pool: RunPool;
  readonly #watch: HangWatch | undefined;
  readonly #emit: EventSink<WorkerEvent>;
  readonly #ready = new Set<() => void>();
  readonly #drained = new Set<() => void>();

  /**
   * Makes a pool. Without `size.min`, no worker is made before the first run.
   *
   * @param module The URL of the module.
   * @param options The owner, and what is to be different from the defaults.
   * @throws {TypeError | RangeError} When an option is wrong.
   * @throws {Deno.errors.NotCapable} When the workers are to be permitted what this process is not.
   */
  constructor(module: string | URL, options: WorkerPoolOptions) {
    webLocks();
    this.#config = poolConfig(module, options);
    const { name, heartbeat, run } = this.#config;
    this.name = name;
    this.#emit = guardSink(options.onEvent ?? logProblems);
    this.#owner = new Owner(
      options.signal,
      ({ reason, gracePeriod }) => this.#stop(reason, gracePeriod ?? this.#config.gracePeriod),
      "worker pool",
    );
    this.finished = this.#owner.finished;
    this.#pool = this.#owner.live.within(() => new RunPool({ ...run, onEvent: this.#emit }));
    this.#pool.onQueueChange = () => this.#queueChanged();
    if (heartbeat === undefined) return;
    this.#watch = new HangWatch({
      timeout: heartbeat.timeout,
      kills: heartbeat.kills,
      hasWork: () => this.queued + this.running > 0,
      handles: () => this.#pool.handles,
      onHang: (handle, silentFor) =>
        this.#emit({
          type: "worker-hung",
          at: (options.clock ?? systemClock).now(),
          worker: handle.name,
          task: name,
          silentFor,
        }),
    });
  }

  /** Its workers that live, stuck ones included. */
  get workers(): readonly WorkerSnapshot[] {
    return this.#pool.workers;
  }

  /** How many runs wait for a worker. */
  get queued(): number {
    return this.#pool.queued;
  }

  /** How many runs workers have. */
  get running(): number {
    return this.#pool.running;
  }

  /**
   * Calls the default export of the module in a worker.
   *
   * @param args The input, and how to do it.
   * @returns What the function returns. It rejects with what the function throws; with the reason when
   * the run, the pool or the owner is aborted; with a `TimeoutError` after its timeout.
   * @throws {QueueFullError} When `maxQueue` runs wait already.
   * @throws {WorkerCrashedError} When the worker ends under it.
   * @throws {TaskLoadError} When the module cannot be loaded.
   * @throws {ClosedError} When the pool has stopped.
   */
  run(
    ...args: PoolRunArguments<PoolInput<Module, "default">, PoolRunOptions>
  ): Promise<PoolOutput<Module, "default">> {
    return this.#run(undefined, args[0], args[1]) as Promise<PoolOutput<Module, "default">>;
  }

  /**
   * Calls an export of the module in a worker.
   *
   * @param name The name of the export.
   * @param args The input, and how to do it.
   * @returns As `run()`. It rejects with a `TypeError` when there is no such function.
   */
  call<Name extends PoolCall<Module>>(
    name: Name,
    ...args: PoolRunArguments<PoolInput<Module, Name>, PoolRunOptions>
  ): Promise<PoolOutput<Module, Name>> {
    return this.#run(name, args[0], args[1]) as Promise<PoolOutput<Module, Name>>;
  }

  /**
   * Runs the default export for each input, so many at once, and yields the results. Inputs are read
   * only as fast as they are run. Leaving the loop aborts what is under way; so does the first
   * failure, which the loop throws.
   *
   * @param inputs The inputs.
   * @param options How many at once, and in which order.
   */
  map(
    inputs: Iterable<PoolInput<Module, "default">> | AsyncIterable<PoolInput<Module, "default">>,
    options: PoolMapOptions = {},
  ): AsyncIterableIterator<PoolOutput<Module, "default">> {
    const { maxWorkers, concurrency: each } = this.#config.run;
    const { concurrency = 2 * maxWorkers * each, ordered = true, signal, ...rest } = options;
    if (!(Number.isInteger(concurrency) && concurrency > 0)) {
      throw new RangeError(
        `Cannot map in pool "${this.name}": expected a whole number of at least 1 as concurrency: ` +
          `received ${concurrency}`,
      );
    }
    return mapRuns(
      inputs,
      (input, either) =>
        this.#run(undefined, input, { ...rest, signal: either }) as Promise<
          PoolOutput<Module, "default">
        >,
      { concurrency, ordered, signal },
    );
  }

  /**
   * Waits until a run would not be refused because too many wait.
   *
   * @throws {ClosedError} When the pool has stopped.
   */
  async ready(): Promise<void> {
    while (this.#isFull && !this.#owner.signal.aborted) {
      await new Promise<void>((resolve) => this.#ready.add(resolve));
    }
    if (this.#owner.signal.aborted) throw this.#closed();
  }

  /** Waits until no run is left. It does not keep others from adding more. */
  async drained(): Promise<void> {
    while (this.queued + this.running > 0) {
      await new Promise<void>((resolve) => this.#drained.add(resolve));
    }
  }

  /**
   * Stops the pool, as the abort of its signal does: every run rejects. To let them end, await
   * `drained()` first. Calling it again joins the first call, and can shorten its grace period.
   *
   * @param options `gracePeriod` in place of the pool's; `reason` for the runs.
   * @returns Resolves when every worker is gone.
   * @throws {StuckWorkerError} When workers live on.
   */
  close(options: { gracePeriod?: Duration; reason?: unknown } = {}): Promise<void> {
    const gracePeriod = options.gracePeriod === undefined
      ? undefined
      : toMilliseconds(options.gracePeriod, "gracePeriod");
    if (this.#owner.signal.aborted && gracePeriod !== undefined) {
      void this.#pool.close(this.#owner.signal.reason, gracePeriod);
    }
    const reason = options.reason ?? new DOMException("The pool was closed", "AbortError");
    return this.#owner.stop({ reason, gracePeriod });
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #run(call: string | undefined, input: unknown, options?: PoolRunOptions): Promise<unknown> {
    if (this.#owner.signal.aborted) return Promise.reject(this.#closed());
    if (this.#isFull) {
      return Promise.reject(new QueueFullError(this.name, this.#config.maxQueue));
    }
    this.#watch?.start();
    return new Promise((resolve, reject) => {
      this.#pool.submit(this.#request(call, input, options), (settlement) => {
        if (settlement.kind === "completed") resolve(settlement.value);
        else reject(settlement.kind === "aborted" ? settlement.reason : settlement.error);
      });
    });
  }

  #request(
    call: string | undefined,
    input: unknown,
    options: PoolRunOptions | undefined,
  ): RunRequest {
    const { gracePeriod } = this.#config;
    if (options === undefined) return { input, call, gracePeriod };
    const { timeout, signal, priority, transfer, onProgress, onLog } = options;
    return {
      input,
      call,
      timeout: timeout === undefined
        ? undefined
        : toMilliseconds(timeout, "timeout", { minimum: 1 }),
      gracePeriod: options.gracePeriod === undefined
        ? gracePeriod
        : toMilliseconds(options.gracePeriod, "gracePeriod"),
      signal,
      priority,
      transfer,
      onProgress,
      onLog,
    };
  }

  get #isFull(): boolean {
    const { maxQueue, run: { maxWorkers, concurrency } } = this.#config;
    // What was asked for in this turn still waits, though a worker may be free for it.
    return maxQueue !== Infinity &&
      this.queued + this.running >= maxQueue + maxWorkers * concurrency;
  }

  #closed(): ClosedError {
    return new ClosedError(`run in pool "${this.name}"`, "it has been stopped", {
      cause: this.#owner.signal.reason,
    });
  }

  #queueChanged(): void {
    if (this.#ready.size > 0 && !this.#isFull) wakeAll(this.#ready);
    if (this.#drained.size > 0 && this.queued + this.running === 0) wakeAll(this.#drained);
  }

  async #stop(reason: unknown, gracePeriod: number): Promise<void> {
    wakeAll(this.#ready);
    const stuck = await this.#pool.close(reason, gracePeriod);
    this.#watch?.[Symbol.dispose]();
    wakeAll(this.#drained);
    if (stuck.length > 0) throw new StuckWorkerError(stuck);
  }
}

function wakeAll(waiters: Set<() => void>): void {
  const all = [...waiters];
  waiters.clear();
  for (const wake of all) wake();
}

function logProblems(event: WorkerEvent): void {
  const line = describeWorkerEvent(event);
  if (line !== undefined) report(line);
}
