import type { Clock } from "../base/clock.ts";
import { type StuckWorker, WorkerCrashedError } from "../base/errors.ts";
import type { EventSink } from "../base/events.ts";
import { type LiveEntry, track } from "../base/live.ts";
import { onAbort } from "../base/on_abort.ts";
import type { WorkerEnd, WorkerEvent } from "./events.ts";
import type { WorkerPermissions } from "./permissions.ts";
import type { RunRequest, RunSettlement } from "./run.ts";
import { throughSpawnGate } from "./spawn_gate.ts";
import type { TransportKind } from "./transport.ts";
import { WorkerHandle, type WorkerState } from "./worker_handle.ts";

/** How to make a pool. */
export interface WorkerPoolOptions {
  /** The URL of the task module. */
  readonly module: string;
  /** The task that the workers are for. */
  readonly task: string;
  readonly transport: TransportKind;
  readonly permissions: WorkerPermissions | undefined;
  /** The most memory that the heap of a worker may take, in bytes. */
  readonly memoryLimit: number | undefined;
  /** The most workers that live at once, beside stuck ones. */
  readonly maxWorkers: number;
  /** How long a worker is kept with nothing to do, in milliseconds. */
  readonly idleTimeout: number;
  /** After so many runs a worker is replaced. */
  readonly maxRunsPerWorker: number;
  readonly readyTimeout: number;
  readonly killTimeout: number;
  readonly clock: Clock;
  readonly onEvent: EventSink<WorkerEvent>;
}

/** A worker as it is now. */
export interface WorkerSnapshot {
  /** The worker's name. */
  readonly worker: string;
  /** Where it is in its life. */
  readonly state: WorkerState;
  /** How many runs it was given. */
  readonly runs: number;
}

interface Waiter {
  readonly resolve: (handle: WorkerHandle | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Workers of one task module. They are made when a run needs one, kept while they may be needed
 * again, and all gone when `close()` resolves, but for those that it returns.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #handles = new Set<WorkerHandle>();
  readonly #stuck = new Set<WorkerHandle>();
  readonly #idle = new Map<WorkerHandle, Disposable>();
  readonly #waiters = new Set<Waiter>();
  /** Everything under way that `close()` has to wait for. */
  readonly #pending = new Set<Promise<unknown>>();
  /** Workers that are to be made, but are not made yet. */
  #ordered = 0;
  /** Workers that are made, but cannot run anything yet. */
  #loading = 0;
  readonly #closing = new AbortController();
  readonly #live: LiveEntry;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#live = track({
      kind: "worker pool",
      name: options.task,
      // The workers are what could leak. An empty pool holds nothing.
      state: () => this.#handles.size > 0 ? `${this.#handles.size} workers` : undefined,
    });
  }

  /** Every worker that lives, stuck ones last. */
  get workers(): WorkerSnapshot[] {
    return [...this.#handles, ...this.#stuck].map((handle) => ({
      worker: handle.name,
      state: handle.state,
      runs: handle.runs,
    }));
  }

  /** Runs the task once. The promise never rejects: every end is a settlement. */
  async execute(request: RunRequest): Promise<RunSettlement> {
    while (!this.#isStopping(request)) {
      let handle: WorkerHandle | undefined;
      try {
        handle = this.#takeIdle() ?? await this.#waitForWorker(request.signal);
      } catch (error) {
        return error instanceof WorkerCrashedError
          ? { kind: "crashed", error }
          : { kind: "failed", error };
      }
      // It may have died since it was handed over.
      if (handle === undefined || handle.state !== "idle") continue;
      if (this.#isStopping(request)) {
        this.#release(handle);
        break;
      }
      const settlement = await handle.run(request);
      this.#release(handle);
      return settlement;
    }
    const { signal } = this.#closing;
    return signal.aborted
      ? { kind: "aborted", cause: "stop", reason: signal.reason, ending: "not-started" }
      : { kind: "aborted", cause: "signal", reason: request.signal.reason, ending: "not-started" };
  }

  /** Ends the workers that have nothing to do. */
  trim(): void {
    for (const handle of this.#idle.keys()) this.#retire(handle, "idle");
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
    for (const waiter of this.#waiters) waiter.resolve(undefined);
    this.#waiters.clear();
    for (const handle of this.#handles) {
      this.#forgetIdle(handle);
      this.#track(handle.stop("stopped", reason, gracePeriod));
    }
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    this.#live[Symbol.dispose]();
    const { task } = this.#options;
    return [...this.#stuck].map((handle) => {
      handle.giveUp();
      return { worker: handle.name, task, waited: handle.waited };
    });
  }

  #isStopping({ signal }: RunRequest): boolean {
    return this.#closing.signal.aborted || signal.aborted;
  }

  #takeIdle(): WorkerHandle | undefined {
    const [handle] = this.#idle.keys();
    if (handle !== undefined) this.#forgetIdle(handle);
    return handle;
  }

  /**
   * Waits in line for the next worker that is free: which one that will be is not known before, so
   * that no run waits for a worker that loads while another has nothing to do.
   */
  async #waitForWorker(signal: AbortSignal): Promise<WorkerHandle | undefined> {
    const waiter = Promise.withResolvers<WorkerHandle | undefined>();
    this.#waiters.add(waiter);
    using _listening = onAbort(signal, () => {
      if (this.#waiters.delete(waiter)) waiter.resolve(undefined);
    });
    this.#grow();
    return await waiter.promise;
  }

  /** Makes workers for those that wait, as many as there may be. */
  #grow(): void {
    while (
      this.#ordered + this.#loading < this.#waiters.size &&
      this.#ordered + this.#handles.size < this.#options.maxWorkers
    ) {
      this.#ordered++;
      this.#track(this.#startWorker());
    }
  }

  async #startWorker(): Promise<void> {
    let ordered = true;
    try {
      await this.#options.transport.prepare?.();
      const handle = await throughSpawnGate(() => {
        ordered = false;
        this.#ordered--;
        // Those that it was for may be gone by now.
        if (this.#waiters.size <= this.#loading) return undefined;
        const handle = this.#live.within(() =>
          new WorkerHandle({ ...this.#options, onEnd: () => this.#ended(handle) })
        );
        this.#handles.add(handle);
        this.#loading++;
        return handle;
      });
      if (handle === undefined) return;
      await handle.ready.finally(() => this.#loading--);
      this.#release(handle);
    } catch (error) {
      if (ordered) this.#ordered--;
      // One worker that cannot be made is the failure of one run.
      this.#nextWaiter()?.reject(error);
    }
    this.#grow();
  }

  #nextWaiter(): Waiter | undefined {
    const [waiter] = this.#waiters;
    if (waiter !== undefined) this.#waiters.delete(waiter);
    return waiter;
  }

  #release(handle: WorkerHandle): void {
    // In any other state it is on its way out, and `#ended` will hear of it.
    if (handle.state !== "idle" || this.#closing.signal.aborted) return;
    if (handle.runs >= this.#options.maxRunsPerWorker) return this.#retire(handle, "recycled");
    const waiter = this.#nextWaiter();
    if (waiter !== undefined) return waiter.resolve(handle);
    const { clock, idleTimeout } = this.#options;
    if (idleTimeout <= 0) return this.#retire(handle, "idle");
    this.#idle.set(handle, clock.setTimer(() => this.#retire(handle, "idle"), idleTimeout));
  }

  #retire(handle: WorkerHandle, end: WorkerEnd): void {
    this.#forgetIdle(handle);
    this.#track(handle.stop(end, new DOMException("The worker is not needed", "AbortError"), 0));
  }

  /** A worker is dead or stuck: its place is free. */
  #ended(handle: WorkerHandle): void {
    this.#forgetIdle(handle);
    this.#handles.delete(handle);
    if (handle.state === "stuck") this.#stuck.add(handle);
    else this.#stuck.delete(handle);
    this.#grow();
  }

  #forgetIdle(handle: WorkerHandle): void {
    this.#idle.get(handle)?.[Symbol.dispose]();
    this.#idle.delete(handle);
  }

  #track(work: Promise<unknown>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }
}
