import { systemClock } from "../base/clock.ts";
import { TaskLoadError, WorkerCrashedError, WorkerOutOfMemoryError } from "../base/errors.ts";
import { type LiveEntry, track } from "../base/live.ts";
import { ControlBlock } from "../protocol/control_block.ts";
import { decodeThrown, encodeThrown } from "../protocol/error_codec.ts";
import type { FromWorker } from "../protocol/messages.ts";
import { BusyMeter } from "./_busy_meter.ts";
import { WorkerJobs } from "./_worker_jobs.ts";
import type { WorkerEnd, WorkerEvent, WorkerEventBase } from "./events.ts";
import { nameWorker } from "./live_workers.ts";
import type { Death, Transport } from "./transport.ts";
import type { WorkerHandleOptions, WorkerState } from "./worker_handle_options.ts";

/** A worker without a run answers at once if its event loop lives, so a little time is no loss. */
const ANSWER_TIMEOUT = 500;

/** A worker that answered after its last run is on its way out; only a starved machine needs this. */
const ANSWERED_KILL_TIMEOUT = 30_000;

/** A worker that is stopped while it starts can be seen to die only once it has started. */
const LAUNCH_TIMEOUT = 10_000;

/**
 * The parent's side of one worker, from its launch to its observed death. Whatever happens to the
 * worker, every run that was given to it settles exactly once.
 */
export class WorkerHandle {
  /** The worker's name. */
  readonly name: string;
  /** Resolves when the task module is loaded. Rejects when it never will be. */
  readonly ready: Promise<void>;
  /** The runs that it has. */
  readonly jobs: WorkerJobs;
  /** How long its death was waited for in vain, in milliseconds. */
  waited = 0;
  #state: WorkerState = "launching";
  readonly #options: WorkerHandleOptions;
  readonly #control = new ControlBlock();
  readonly #transport: Transport;
  readonly #busy: BusyMeter;
  readonly #live: LiveEntry;
  readonly #spawnedAt = performance.now();
  readonly #ready = Promise.withResolvers<void>();
  readonly #hello = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #death = Promise.withResolvers<void>();
  readonly #watch = new AbortController();
  readonly #readyTimer: Disposable;
  #greeted = false;
  #answered = false;
  #end: WorkerEnd | undefined;
  #kill: Promise<"dead" | "stuck"> | undefined;
  #stop: Promise<"dead" | "stuck"> | undefined;

  /** Launches the worker. Throws what the platform throws when it refuses. */
  constructor(options: WorkerHandleOptions) {
    const { worker, lock } = nameWorker(options.task);
    this.name = worker;
    this.#options = options;
    this.ready = this.#ready.promise;
    this.ready.catch(() => {});
    const { module, permissions, memoryLimit, denoFlags } = options;
    this.#live = track({ kind: "worker", name: worker, state: () => this.state, lock });
    try {
      this.#transport = this.#live.within(() =>
        options.transport.launch({
          module,
          name: worker,
          lock,
          permissions,
          memoryLimit,
          denoFlags,
        }, {
          message: (message) => this.#receive(message),
          foreignMessage: (data) => this.#emit({ type: "worker-foreign-message", data }),
          error: (error) => this.#platformError(error),
          outOfMemory: () => void this.#outOfMemory(),
          output: (stream, text) => this.#emit({ type: "worker-output", stream, text }),
        })
      );
    } catch (error) {
      this.#live[Symbol.dispose]();
      throw error;
    }
    this.#busy = new BusyMeter(this.#transport);
    const { task, concurrency, needsDefault, beatInterval, reportsHeap } = options;
    this.#transport.post({
      type: "leash:init",
      worker,
      task,
      control: this.#control.buffer,
      concurrency,
      needsDefault,
      beatInterval,
      reportsHeap,
    });
    this.jobs = new WorkerJobs({
      worker,
      task,
      control: this.#control,
      sharesMemory: options.transport.sharesMemory,
      concurrency,
      post: (message, transfer) => {
        if (message.type === "leash:abort") this.#busy.told();
        this.#transport.post(message, transfer);
      },
      kill: () => this.#killFor("killed"),
      giveBack: options.onGiveBack,
      free: options.onFree,
    });
    void this.#observeDeath();
    const { readyTimeout } = options;
    this.#readyTimer = systemClock.setTimer(
      () => this.#loadFailed(`it was not loaded within ${readyTimeout} ms`),
      readyTimeout,
    );
    this.#emit({ type: "worker-spawned" });
  }

  /** Where the worker is in its life. */
  get state(): WorkerState {
    return this.#state === "idle" && this.jobs.size > 0 ? "running" : this.#state;
  }

  /** How long it has lived, in milliseconds. */
  get age(): number {
    return performance.now() - this.#spawnedAt;
  }

  /** Counted up whenever the worker shows a sign of life, as far as that can be seen. */
  get heartbeat(): number {
    return this.#control.heartbeat;
  }

  /**
   * Tell, wait, end, observe. A second call can only shorten the grace period of the first.
   *
   * @returns Whether the worker is dead. It never rejects, and it never waits without a bound.
   */
  stop(end: WorkerEnd, reason: unknown, gracePeriod: number): Promise<"dead" | "stuck"> {
    if (this.#stop === undefined) this.#stop = this.#stopOnce(end, reason, gracePeriod);
    else this.jobs.limitGrace(gracePeriod);
    return this.#stop;
  }

  /** Stops looking whether a stuck worker dies after all. */
  giveUp(): void {
    this.#watch.abort();
  }

  async #stopOnce(end: WorkerEnd, reason: unknown, grace: number): Promise<"dead" | "stuck"> {
    if (this.#kill === undefined && this.#state !== "dead") {
      this.#end ??= end;
      this.#state = "stopping";
      this.#readyTimer[Symbol.dispose]();
      this.#ready.reject(reason);
      const encoded = encodeThrown(reason);
      this.#control.stop(encoded);
      this.#busy.told();
      this.#transport.post({ type: "leash:stop", reason: encoded });
      this.jobs.abortAll("stop", reason, grace);
      await this.jobs.drained();
      if (!this.#greeted) await this.#within(LAUNCH_TIMEOUT, this.#hello.promise);
      if (this.#kill === undefined) {
        await this.#within(Math.max(grace, ANSWER_TIMEOUT), this.#stopped.promise);
      }
    }
    return await this.#killAs(end);
  }

  /** It is of no more use: ends it now. What it had not begun is given back. */
  async killFor(end: WorkerEnd, error: WorkerCrashedError): Promise<void> {
    this.#emit({ type: "worker-crashed", error, running: this.jobs.size > 0 });
    await this.#killAs(end);
    this.jobs.ended(error);
  }

  /** One of its runs does not stop. */
  async #killFor(end: WorkerEnd): Promise<"dead" | "stuck"> {
    const result = await this.#killAs(end);
    const why = "it was ended because another run in it did not stop";
    this.jobs.ended(new WorkerCrashedError(this.name, why));
    return result;
  }

  #killAs(end: WorkerEnd): Promise<"dead" | "stuck"> {
    this.#end ??= end;
    return this.#kill ??= this.#killOnce();
  }

  async #killOnce(): Promise<"dead" | "stuck"> {
    if (this.#state === "dead") return "dead";
    this.#state = "stopping";
    this.#readyTimer[Symbol.dispose]();
    // Should it live on, it must not begin anything any more.
    this.#control.stop(encodeThrown(new DOMException("The worker was ended", "AbortError")));
    const started = performance.now();
    void this.#busy.ending();
    this.#transport.terminate();
    const limit = this.#answered ? ANSWERED_KILL_TIMEOUT : this.#options.killTimeout;
    await this.#within(limit, this.#death.promise);
    // Changed by the observer of the death while this waited.
    if ((this.#state as WorkerState) === "dead") return "dead";
    this.#state = "stuck";
    this.waited = performance.now() - started;
    this.#emit({ type: "worker-stuck", waited: this.waited });
    this.#options.onEnd();
    return "stuck";
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case "leash:hello":
        this.#greeted = true;
        if (this.#state === "launching") this.#state = "loading";
        return this.#hello.resolve();
      case "leash:ready":
        if (this.#state !== "loading") return;
        this.#state = "idle";
        this.#readyTimer[Symbol.dispose]();
        this.#emit({ type: "worker-ready", took: performance.now() - this.#spawnedAt });
        return this.#ready.resolve();
      case "leash:load-failed":
        return this.#loadFailed(message.reason, message.error && decodeThrown(message.error));
      case "leash:stopping":
        return;
      case "leash:beat":
        return this.#control.beat();
      case "leash:stopped":
        this.#answered = true;
        return this.#stopped.resolve();
      case "leash:uncaught": {
        const cause = decodeThrown(message.error);
        const text = cause instanceof Error ? cause.message : Deno.inspect(cause);
        return void this.#crashed(`an error in it was not caught: ${text}`, cause);
      }
      case "leash:exiting":
        return void this.#crashed(message.how);
      case "leash:out-of-memory":
        return void this.#outOfMemory();
      default:
        return this.jobs.receive(message);
    }
  }

  /** Deno gave up on the worker: its first module failed, or an error got past the runtime. */
  #platformError(error: Error): void {
    if (this.#greeted) return void this.#crashed("it failed", error);
    this.#loadFailed(error.message, error);
  }

  #loadFailed(reason: string, cause?: unknown): void {
    if (this.#state !== "launching" && this.#state !== "loading") return;
    const { module } = this.#options;
    const error = new TaskLoadError(module, reason, cause === undefined ? undefined : { cause });
    this.#emit({ type: "worker-load-failed", error });
    void this.#killAs("load-failed").then(() => this.#ready.reject(error));
  }

  #crashed(why: string, cause?: unknown): Promise<void> {
    const options = cause === undefined ? undefined : { cause };
    return this.#crashedWith(new WorkerCrashedError(this.name, why, options));
  }

  #outOfMemory(): Promise<void> {
    return this.#crashedWith(new WorkerOutOfMemoryError(this.name, this.#options.memoryLimit));
  }

  async #crashedWith(error: WorkerCrashedError): Promise<void> {
    // A worker that is being ended has nothing to lose any more.
    if (this.#kill !== undefined || this.#state === "dead") return;
    this.#emit({ type: "worker-crashed", error, running: this.jobs.size > 0 });
    // The end comes first: whoever hears of the crash may rely on the worker being gone.
    await this.#killAs("crashed");
    this.jobs.ended(error);
    this.#ready.reject(error);
  }

  async #observeDeath(): Promise<void> {
    let death: Death;
    try {
      death = await this.#transport.death(this.#watch.signal);
    } catch {
      return;
    }
    if (this.#kill === undefined) {
      // What the worker said last may still be on its way.
      await new Promise((resolve) => setTimeout(resolve, 0));
      const how = death.how ?? "it ended by itself";
      if (death.outOfMemory) void this.#outOfMemory();
      else if (this.#greeted) void this.#crashed(how);
      else this.#loadFailed(how);
    }
    this.#died();
  }

  #died(): void {
    if (this.#state === "dead") return;
    const wasStuck = this.#state === "stuck";
    this.#state = "dead";
    this.#live[Symbol.dispose]();
    const end = this.#end ?? "crashed";
    const { share } = this.#busy;
    this.#emit({
      type: "worker-exited",
      end,
      wasStuck,
      ...(end === "killed" && share !== undefined ? { busy: share } : {}),
    });
    this.#options.onEnd();
    this.#hello.resolve();
    this.#stopped.resolve();
    this.#death.resolve();
  }

  /** Waits for the promise, at most so long in real time: a thread takes no note of a fake clock. */
  async #within(limit: number, promise: Promise<void>): Promise<void> {
    const timeout = Promise.withResolvers<void>();
    using _timer = systemClock.setTimer(timeout.resolve, limit);
    await Promise.race([promise, timeout.promise]);
  }

  #emit(
    event: WorkerEvent extends infer E ? E extends WorkerEvent ? Omit<E, keyof WorkerEventBase>
      : never
      : never,
  ): void {
    const { clock, onEvent, task } = this.#options;
    onEvent({ at: clock.now(), worker: this.name, task, ...event } as WorkerEvent);
  }
}
