/** Thrown when a task module cannot be loaded, or is no task module. */
export class TaskLoadError extends Error {
  /** Tells it from other errors, also after it crossed a thread. */
  override readonly name = "TaskLoadError";
  /** The URL of the module. */
  readonly module: string;

  /**
   * Makes the error.
   *
   * @param module The URL of the module.
   * @param reason Why, as the end of a sentence.
   * @param options `cause`: the error that the module threw, or that Deno gave.
   */
  constructor(module: string, reason: string, options?: ErrorOptions) {
    super(`Cannot load task module ${module}: ${reason}`, options);
    this.module = module;
  }
}

/** Rejects a run whose worker ended, or had an uncaught error, while the run was in it. */
export class WorkerCrashedError extends Error {
  /** Tells it from other errors, also after it crossed a thread. */
  override readonly name: string = "WorkerCrashedError";
  /** The worker that the run was in. */
  readonly worker: string;

  /**
   * Makes the error.
   *
   * @param worker The worker that the run was in.
   * @param reason What happened, as the end of a sentence.
   * @param options `cause`: the uncaught error, where there was one.
   */
  constructor(worker: string, reason: string, options?: ErrorOptions) {
    super(`Cannot finish the run in worker ${worker}: ${reason}`, options);
    this.worker = worker;
  }
}

/**
 * Rejects a run whose worker needed more memory than its `memoryLimit`. Only that worker ends; this
 * process lives on.
 */
export class WorkerOutOfMemoryError extends WorkerCrashedError {
  /** Tells it from other errors, also after it crossed a thread. */
  override readonly name: string = "WorkerOutOfMemoryError";
  /** The limit, in bytes; `undefined` when it was not one of Leash's. */
  readonly memoryLimit: number | undefined;

  /**
   * Makes the error.
   *
   * @param worker The worker that the run was in.
   * @param memoryLimit The limit, in bytes.
   */
  constructor(worker: string, memoryLimit: number | undefined) {
    super(
      worker,
      memoryLimit === undefined
        ? "its JavaScript heap was full"
        : `its JavaScript heap was full, at a memoryLimit of ${memoryLimit} bytes`,
    );
    this.memoryLimit = memoryLimit;
  }
}

/** A worker that was told to stop, then terminated, and lives on. */
export interface StuckWorker {
  /** The worker's name. */
  readonly worker: string;
  /** The task that it was made for. */
  readonly task: string;
  /** How long it was waited for after it was terminated, in milliseconds. */
  readonly waited: number;
}

/**
 * Rejects `close()` when workers could not be stopped. Deno cannot end a Web Worker that never
 * yields to its event loop, and such a worker keeps the process alive: end it with `Deno.exit()`,
 * or use `shutdownSignal()`, which does so. The isolations `"thread"` and `"process"` can be ended.
 */
export class StuckWorkerError extends Error {
  /** Tells it from other errors, also after it crossed a thread. */
  override readonly name = "StuckWorkerError";
  /** Each worker that lives on. */
  readonly workers: readonly StuckWorker[];

  /**
   * Makes the error.
   *
   * @param workers Each worker that lives on; at least one.
   */
  constructor(workers: readonly StuckWorker[]) {
    super(
      `Cannot stop ${workers.length === 1 ? "worker" : `${workers.length} workers:`} ` +
        workers.map(({ worker, waited }) =>
          `${worker} (still alive after ${Math.round(waited)} ms)`
        )
          .join(", ") +
        ": the code in it never yields to the event loop. Call ctx.checkpoint() in its loops",
    );
    this.workers = workers;
  }
}

/** Rejects a run for which a pool has no room. `pool.ready()` waits until there is some. */
export class QueueFullError extends Error {
  /** Tells it from other errors, also after it crossed a thread. */
  override readonly name = "QueueFullError";
  /** How many runs may wait. */
  readonly maxQueue: number;

  /**
   * Makes the error.
   *
   * @param pool The name of the pool.
   * @param maxQueue How many runs may wait.
   */
  constructor(pool: string, maxQueue: number) {
    super(
      `Cannot run in pool "${pool}": ${maxQueue} runs wait already: await pool.ready() first, or ` +
        `raise maxQueue`,
    );
    this.maxQueue = maxQueue;
  }
}

/** Thrown by what is asked of a scheduler, a task or a pool after it began to stop. */
export class ClosedError extends Error {
  /** Tells it from other errors, also after it crossed a thread. */
  override readonly name = "ClosedError";

  /**
   * Makes the error.
   *
   * @param what What was asked, as in `add task "x"`.
   * @param why Why it cannot be done.
   * @param options `cause`: the reason of the stop.
   */
  constructor(what: string, why: string, options?: ErrorOptions) {
    super(`Cannot ${what}: ${why}`, options);
  }
}
