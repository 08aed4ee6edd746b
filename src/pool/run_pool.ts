import { type StuckWorker, WorkerCrashedError } from "../base/errors.ts";
import { type LiveEntry, track } from "../base/live.ts";
import { systemClock } from "../base/clock.ts";
import { checkDescriptors } from "./_descriptors.ts";
import { IdleWorkers } from "./_idle_workers.ts";
import { Pacer } from "./_pacer.ts";
import { Placement } from "./_placement.ts";
import { RunQueue } from "./_run_queue.ts";
import type { WorkerEnd } from "./events.ts";
import { Job, type JobHolder } from "./job.ts";
import type { RunRequest, RunSettlement } from "./run.ts";
import { throughSpawnGate } from "./spawn_gate.ts";
import type { RunPoolOptions } from "./run_pool_options.ts";
import { WorkerHandle } from "./worker_handle.ts";
import type { WorkerState } from "./worker_handle_options.ts";

/** A worker as it is now. */
export interface WorkerSnapshot {
  /** The worker's name. */
  readonly worker: string;
  /** Where it is in its life. */
  readonly state: WorkerState;
  /** How many runs it was given. */
  readonly runs: number;
}

/** A worker that is silent for so long keeps those that wait in it from a worker that is free. */
const PATIENCE = 5;

/**
 * The one way to run a task: workers of one module, and the runs that wait for them. Workers are made
 * when a run needs one, kept while they may be needed again, and all gone when `close()` resolves, but
 * for those that it returns.
 */
export class RunPool {
  /** Called after each change of what waits. */
  onQueueChange: () => void = () => {};
  readonly #options: RunPoolOptions;
  readonly #queue = new RunQueue<Job>();
  readonly #handles = new Set<WorkerHandle>();
  readonly #stuck = new Set<WorkerHandle>();
  readonly #placement: Placement;
  readonly #idle: IdleWorkers;
  readonly #pacer = new Pacer(() => this.#dispatch(), (work) => this.#track(work));
  #recallTimer: Disposable | undefined;
  /** Everything under way that `close()` has to wait for. */
  readonly #pending = new Set<Promise<unknown>>();
  /** Workers that are to be made, but are not made yet. */
  #ordered = 0;
  /** Workers that are made, but cannot run anything yet. */
  readonly #loading = new Set<WorkerHandle>();
  #dispatching = false;
  readonly #closing = new AbortController();
  readonly #live: LiveEntry;
  /** Holds the jobs that wait. */
  readonly #waiting: JobHolder = {
    tellAbort: () => false,
    kill: () => Promise.resolve("dead"),
    settled: () => {
      this.#queue.forget();
      this.onQueueChange();
    },
  };

  constructor(options: RunPoolOptions) {
    this.#options = options;
    const { clock, idleTimeout, maxRunsPerWorker } = options;
    this.#placement = new Placement(this.#handles, this.#queue, maxRunsPerWorker);
    this.#idle = new IdleWorkers(clock, idleTimeout, (handle) => this.#retireIdle(handle));
    this.#live = track({
      kind: "worker pool",
      name: options.task,
      // The workers are what could leak. An empty pool holds nothing.
      state: () => this.#handles.size > 0 ? `${this.#handles.size} workers` : undefined,
    });
    this.#grow();
  }

  /** Every worker that lives, stuck ones last. */
  get workers(): WorkerSnapshot[] {
    return [...this.#handles, ...this.#stuck].map(({ name, state, jobs }) => ({
      worker: name,
      state,
      runs: jobs.given,
    }));
  }

  /** The workers that can be looked after. */
  get handles(): Iterable<WorkerHandle> {
    return this.#handles;
  }

  /** How many runs wait for a worker. */
  get queued(): number {
    return this.#queue.size;
  }

  /** How many runs workers have. */
  get running(): number {
    let running = 0;
    for (const { jobs } of this.#handles) running += jobs.size;
    return running;
  }

  /** Runs the task once. `settle` is called exactly once, whatever happens. */
  submit(request: RunRequest, settle: (settlement: RunSettlement) => void): void {
    const { signal } = request;
    const job = new Job(request, this.#options.clock, this.#waiting, settle);
    this.#queue.push(job, performance.now());
    if (this.#closing.signal.aborted) return job.abort("stop", this.#closing.signal.reason, 0);
    if (signal?.aborted) return job.abort("signal", signal.reason, 0);
    if (this.#dispatching) return;
    this.#dispatching = true;
    // What is asked for in the same turn can go in the same message.
    queueMicrotask(() => {
      this.#dispatching = false;
      this.#dispatch();
    });
  }

  /** Runs the task once. The promise never rejects: every end is a settlement. */
  execute(request: RunRequest): Promise<RunSettlement> {
    return new Promise((resolve) => this.submit(request, resolve));
  }

  /** Ends the workers that have nothing to do, down to `minWorkers`. */
  trim(): void {
    for (const handle of this.#idle.handles) this.#retireIdle(handle);
  }

  /**
   * Ends all workers and waits for their deaths. What waits for a worker is settled as not started.
   *
   * @param reason What running tasks see as the reason of their signal.
   * @param gracePeriod Milliseconds before a worker that does not end by itself is terminated. A
   * second call can only shorten it.
   * @returns The workers that could not be ended.
   */
  async close(reason: unknown, gracePeriod: number): Promise<StuckWorker[]> {
    this.#closing.abort(reason);
    const why = this.#closing.signal.reason;
    for (let job = this.#queue.peek(); job !== undefined; job = this.#queue.peek()) {
      job.abort("stop", why, 0);
    }
    this.#idle[Symbol.dispose]();
    for (const handle of this.#handles) {
      this.#track(handle.stop("stopped", why, gracePeriod));
    }
    this.#recallTimer?.[Symbol.dispose]();
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    this.#live[Symbol.dispose]();
    const { task } = this.#options;
    return [...this.#stuck].map((handle) => {
      handle.giveUp();
      return { worker: handle.name, task, waited: handle.waited };
    });
  }

  /** Gives the workers what waits. */
  #dispatch(): void {
    if (this.#pacer.isPausing(this.#queue.size)) return;
    let job: Job | undefined;
    while ((job = this.#queue.peek()) !== undefined) {
      const handle = this.#placement.freest(job);
      if (handle === undefined) break;
      this.#idle.delete(handle);
      handle.jobs.send(this.#placement.takeFor(handle));
      // None of them could be sent.
      if (handle.jobs.size === 0) this.#free(handle);
    }
    this.onQueueChange();
    this.#grow();
    this.#watchSilence();
  }

  /** Makes workers for those that wait, as many as there may be. */
  #grow(): void {
    const { minWorkers, maxWorkers, concurrency } = this.#options;
    if (this.#closing.signal.aborted) return;
    const wanted = Math.max(minWorkers, Math.ceil(this.#demand / concurrency));
    while (this.#handles.size + this.#ordered < Math.min(wanted, maxWorkers)) {
      this.#ordered++;
      this.#track(this.#startWorker());
    }
  }

  get #demand(): number {
    return this.#queue.size + this.running;
  }

  async #startWorker(): Promise<void> {
    let isOrdered = true;
    let handle: WorkerHandle | undefined;
    try {
      await this.#options.transport.prepare?.();
      handle = await throughSpawnGate(() => {
        isOrdered = false;
        this.#ordered--;
        if (!this.#isWanted()) return undefined;
        checkDescriptors();
        return this.#launch();
      });
      if (handle === undefined) return;
      await handle.ready;
      this.#loading.delete(handle);
    } catch (error) {
      if (handle !== undefined) this.#loading.delete(handle);
      if (isOrdered) this.#ordered--;
      return this.#startFailed(error);
    }
    this.#free(handle);
  }

  /** Those that a worker was ordered for may be gone by now. */
  #isWanted(): boolean {
    if (this.#closing.signal.aborted) return false;
    const { minWorkers, concurrency } = this.#options;
    return this.#handles.size < Math.max(minWorkers, Math.ceil(this.#demand / concurrency));
  }

  #launch(): WorkerHandle {
    const handle: WorkerHandle = this.#live.within(() =>
      new WorkerHandle({
        ...this.#options,
        reportsHeap: this.#options.maxWorkerHeap !== Infinity,
        onEnd: () => this.#ended(handle),
        onFree: () => this.#free(handle),
        onGiveBack: (jobs) => this.#takeBack(jobs),
      })
    );
    this.#handles.add(handle);
    this.#loading.add(handle);
    return handle;
  }

  /** One worker that cannot be made is the failure of one run. */
  #startFailed(error: unknown): void {
    const job = this.#queue.peek();
    if (error instanceof WorkerCrashedError) job?.crashed(error);
    else job?.failedWith(error);
    if (this.#queue.size > 0) this.#grow();
  }

  /** A worker has room for more. */
  #free(handle: WorkerHandle): void {
    const { jobs, state } = handle;
    const { maxRunsPerWorker, maxWorkerAge, maxWorkerHeap, idleTimeout } = this.#options;
    // In any other state it is on its way out, and `#ended` will hear of it.
    if (jobs.size > 0 || state !== "idle" || this.#closing.signal.aborted) {
      return this.#dispatch();
    }
    const isWorn = jobs.given >= maxRunsPerWorker || handle.age >= maxWorkerAge ||
      jobs.heap > maxWorkerHeap;
    if (isWorn) {
      this.#retire(handle, "recycled");
    } else if (this.#queue.size === 0) {
      this.#idle.add(handle);
      if (idleTimeout <= 0) this.#retireIdle(handle);
    }
    this.#dispatch();
  }

  /** A worker will not do these. */
  #takeBack(jobs: Job[]): void {
    const waiting = jobs.filter((job) => !job.done);
    for (const job of waiting) job.moveTo(this.#waiting, 0);
    this.#queue.unshift(waiting);
    if (this.#closing.signal.aborted) {
      for (const job of waiting) job.abort("stop", this.#closing.signal.reason, 0);
    }
    this.#dispatch();
  }

  /** It has had nothing to do for long enough, unless it is one of those that are to stay. */
  #retireIdle(handle: WorkerHandle): void {
    let staying = 0;
    for (const { state } of this.#handles) if (state !== "stopping") staying++;
    if (staying > this.#options.minWorkers) this.#retire(handle, "idle");
  }

  #retire(handle: WorkerHandle, end: WorkerEnd): void {
    this.#idle.delete(handle);
    this.#track(handle.stop(end, new DOMException("The worker is not needed", "AbortError"), 0));
  }

  /** A worker is dead or stuck: its place is free. */
  #ended(handle: WorkerHandle): void {
    this.#idle.ended(handle);
    this.#handles.delete(handle);
    if (handle.state === "stuck") this.#stuck.add(handle);
    else this.#stuck.delete(handle);
    // The end of one that was never ready is the failure of a run, which still waits.
    if (this.#queue.size > 0 && !this.#loading.has(handle)) this.#grow();
  }

  /** While a worker has nothing to do, none may sit on runs that it does not begin. */
  #watchSilence(): void {
    if (this.#recallTimer !== undefined || this.#closing.signal.aborted) return;
    if (!this.#placement.isUneven()) return;
    this.#recallTimer = systemClock.setTimer(() => {
      this.#recallTimer = undefined;
      const now = performance.now();
      for (const { jobs } of this.#handles) if (jobs.silence(now) >= PATIENCE) jobs.recall();
      this.#dispatch();
    }, PATIENCE);
  }

  #track(work: Promise<unknown>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }
}
