import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { ClosedError, type StuckWorker, StuckWorkerError } from "../base/errors.ts";
import { type EventSink, guardSink } from "../base/events.ts";
import { Owner, type StopRequest } from "../base/owner.ts";
import { report } from "../base/report.ts";
import { TimerQueue } from "../base/timer_queue.ts";
import { webLocks } from "../base/web_locks.ts";
import type {
  TaskInput,
  TaskModule,
  TaskOutput,
  UntypedTaskModule,
} from "../worker/task_module.ts";
import { Owned, type Part } from "./_owned.ts";
import { taskConfig } from "./_task_config.ts";
import { type TaskHost, TaskRunner } from "./_task_runner.ts";
import { logProblems } from "./console_sink.ts";
import type { SchedulerEvent } from "./events.ts";
import type { OwnedService } from "./owned_service.ts";
import type { ScheduledTask } from "./scheduled_task.ts";
import type { TaskOptions } from "./task_options.ts";

/** How to make a {@linkcode Scheduler}. */
export interface SchedulerOptions {
  /** The owner: when it aborts, the scheduler stops. It may have aborted already. */
  signal: AbortSignal;
  /**
   * How long tasks that run when the scheduler stops get to end by themselves, all together. Default:
   * 10 seconds.
   */
  gracePeriod?: Duration;
  /**
   * Told of everything that happens. An exception in it goes to stderr and harms nothing. Default:
   * problems go to stderr, a line each; give `() => {}` for silence.
   */
  onEvent?: EventSink<SchedulerEvent>;
  /** The time. Default: the computer's. */
  clock?: Clock;
  /**
   * What happens when a worker is found stuck: it was terminated and lives on. `"report"`: it is
   * counted and named, and its place is free again. `"exit"`: the process ends at once, with one line
   * on stderr and exit code 1, for programs that something else starts again. Default: `"report"`.
   */
  onStuck?: "report" | "exit";
  /**
   * How long to look for the death of a worker that did not answer before it was terminated. After
   * that it is reported as stuck. Default: 2 seconds.
   */
  killTimeout?: Duration;
}

/** A task whose turn to stop comes after the grace period still gets a moment, in milliseconds. */
const LEAST_GRACE = 1_000;

/**
 * Runs tasks in workers when they are due. Everything that it makes belongs to the signal that it is
 * given: when that aborts, every worker is gone before `finished` resolves, or is named in its error.
 *
 * @example
 * ```ts
 * import { every, Scheduler } from "@leash/leash";
 * import { assertEquals } from "@std/assert";
 *
 * const owner = new AbortController();
 * await using scheduler = new Scheduler({ signal: owner.signal });
 * const task = scheduler.add<{ default: (name: string) => string }>(
 *   "data:text/javascript,export default (name) => `hello ${name}`",
 *   { name: "greet", schedule: every({ hours: 1 }), input: "world" },
 * );
 * const result = await task.trigger();
 * assertEquals(result.value, "hello world");
 * ```
 */
export class Scheduler implements AsyncDisposable {
  /**
   * Settles when the scheduler has stopped and everything below it is gone. Rejects with a
   * `StuckWorkerError` when workers live on.
   */
  readonly finished: Promise<void>;
  readonly #owner: Owner;
  readonly #tasks = new Map<string, TaskRunner>();
  /** Tasks and services, in the order of adding. */
  readonly #parts = new Map<string, Part>();
  readonly #queue: TimerQueue<TaskRunner>;
  readonly #clock: Clock;
  readonly #gracePeriod: number;
  readonly #killTimeout: number;
  readonly #emit: EventSink<SchedulerEvent>;
  /** When the grace period is over. */
  #deadline = Infinity;
  /** What a task gets whose turn to stop comes after the deadline. */
  #leastGrace = LEAST_GRACE;

  /**
   * Makes a scheduler. Nothing runs before a task is added.
   *
   * @param options The owner, and what is to be different from the defaults.
   * @throws {TypeError} When `signal` is missing.
   * @throws {Error} When this Deno has no `navigator.locks`.
   */
  constructor(options: SchedulerOptions) {
    if (!(options?.signal instanceof AbortSignal)) {
      throw new TypeError(
        `Cannot make a Scheduler: expected an AbortSignal as signal, as shutdownSignal() gives: ` +
          `received ${Deno.inspect(options?.signal)}`,
      );
    }
    webLocks();
    this.#clock = options.clock ?? systemClock;
    this.#gracePeriod = toMilliseconds(options.gracePeriod ?? 10_000, "gracePeriod");
    this.#killTimeout = toMilliseconds(options.killTimeout ?? 2_000, "killTimeout");
    this.#emit = stuckPolicy(options.onStuck, guardSink(options.onEvent ?? logProblems));
    this.#queue = new TimerQueue(this.#clock, {
      due: (task, due) => task.due(due),
      jumped: (by) => {
        this.#emit({ type: "clock-jumped", at: this.#clock.now(), by });
        for (const task of this.#tasks.values()) task.clockJumped(by);
      },
    });
    this.#owner = new Owner(options.signal, (request) => this.#stop(request), "scheduler");
    this.finished = this.#owner.finished;
  }

  /** The tasks, in the order of adding. */
  get tasks(): readonly ScheduledTask[] {
    return [...this.#tasks.values()];
  }

  /**
   * Adds a task. Its type parameter gives the input and the result their types:
   * `scheduler.add<typeof import("./sweep.ts")>(new URL("./sweep.ts", import.meta.url), …)`.
   *
   * No worker is made before the first run.
   *
   * @param module The URL of the module whose default export is the task.
   * @param options When and how it runs.
   * @returns The task.
   * @throws {ClosedError} When the scheduler has begun to stop.
   * @throws {TypeError | RangeError} When an option is wrong, or the name is taken.
   * @throws {Deno.errors.NotCapable} When the task is to be permitted what this process is not.
   */
  add<Module extends TaskModule = UntypedTaskModule>(
    module: string | URL,
    options: TaskOptions<TaskInput<Module>>,
  ): ScheduledTask<TaskInput<Module>, TaskOutput<Module>> {
    const config = taskConfig(module, options, this.#gracePeriod);
    const { name } = config;
    this.#checkOpen(`add task "${name}"`);
    this.#checkName(`add task "${name}"`, name);
    const host: TaskHost = {
      clock: this.#clock,
      queue: this.#queue,
      killTimeout: this.#killTimeout,
      emit: this.#emit,
      forget: (gone) => {
        if (this.#owner.signal.aborted) return;
        this.#tasks.delete(gone.name);
        this.#parts.delete(gone.name);
      },
    };
    const task = this.#owner.live.within(() => new TaskRunner(host, config));
    this.#tasks.set(name, task);
    this.#parts.set(name, task);
    return task as ScheduledTask<TaskInput<Module>, TaskOutput<Module>>;
  }

  /** The services that it owns and that have not ended, in the order of adding. */
  get services(): readonly OwnedService[] {
    return [...this.#parts.values()].filter((part) => part instanceof Owned)
      .map(({ service }) => service);
  }

  /**
   * Makes something live as long as the scheduler: it stops with the tasks, in the reverse order of
   * adding, within the same grace period, and is waited for.
   *
   * @param make Makes it, with the signal that owns it.
   * @returns What was made. When it ends by itself, the scheduler forgets it.
   * @throws {ClosedError} When the scheduler has begun to stop.
   * @throws {TypeError} When the name is taken. What was made is stopped then.
   *
   * @example
   * ```ts
   * import { Scheduler, WorkerPool } from "@leash/leash";
   *
   * const owner = new AbortController();
   * await using scheduler = new Scheduler({ signal: owner.signal });
   * const module = "data:text/javascript,export default (n) => n + 1";
   * const pool = scheduler.own((signal) => new WorkerPool(module, { signal, name: "plus" }));
   * console.log(await pool.run(1)); // 2
   * ```
   */
  own<Service extends OwnedService>(make: (signal: AbortSignal) => Service): Service {
    this.#checkOpen("own a service");
    const controller = new AbortController();
    const service = this.#owner.live.within(() => make(controller.signal));
    try {
      this.#checkName(`own service "${service.name}"`, service.name);
    } catch (error) {
      controller.abort(error);
      throw error;
    }
    const part = new Owned(service, controller);
    this.#parts.set(part.name, part);
    const forget = (): void => {
      if (!this.#owner.signal.aborted) this.#parts.delete(part.name);
    };
    service.finished.then(forget, forget);
    return service;
  }

  /**
   * Stops the scheduler, as the abort of its signal does. Tasks and services are stopped in the reverse
   * order of adding. Calling it again joins the first call, and can shorten its grace period.
   *
   * @param options `gracePeriod` in place of the scheduler's; `reason` for the tasks' signals.
   * @returns Resolves when everything is gone.
   * @throws {StuckWorkerError} When workers live on.
   * @throws {AggregateError} When services could not be stopped.
   */
  close(options: { gracePeriod?: Duration; reason?: unknown } = {}): Promise<void> {
    const gracePeriod = options.gracePeriod === undefined
      ? undefined
      : toMilliseconds(options.gracePeriod, "gracePeriod");
    const reason = options.reason ??
      new DOMException("The scheduler was closed", "AbortError");
    if (this.#owner.signal.aborted && gracePeriod !== undefined) this.#limitGrace(gracePeriod);
    return this.#owner.stop({ reason, gracePeriod });
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #limitGrace(gracePeriod: number): void {
    this.#leastGrace = Math.min(this.#leastGrace, gracePeriod);
    this.#deadline = Math.min(this.#deadline, this.#clock.monotonic() + gracePeriod);
    for (const part of this.#parts.values()) part.limitGrace(gracePeriod);
  }

  #checkOpen(what: string): void {
    if (!this.#owner.signal.aborted) return;
    throw new ClosedError(what, "the scheduler has been stopped", {
      cause: this.#owner.signal.reason,
    });
  }

  #checkName(what: string, name: string): void {
    const part = this.#parts.get(name);
    if (part === undefined) return;
    const [kind, end] = part instanceof Owned ? ["service", "close()"] : ["task", "remove()"];
    throw new TypeError(
      `Cannot ${what}: this scheduler has a ${kind} of that name: give it another name, or ${end} ` +
        `the other first`,
    );
  }

  async #stop({ reason, gracePeriod = this.#gracePeriod }: StopRequest): Promise<void> {
    this.#emit({ type: "scheduler-stopping", at: this.#clock.now(), reason });
    this.#queue[Symbol.dispose]();
    const parts = [...this.#parts.values()].reverse();
    for (const part of parts) part.halt(reason);
    this.#limitGrace(gracePeriod);
    const ends: Promise<StuckWorker[]>[] = [];
    for (const part of parts) {
      const left = this.#deadline - this.#clock.monotonic();
      const { busy } = part;
      const end = part.stop(reason, Math.max(left, this.#leastGrace));
      ends.push(end);
      // What was added later may need what was added before it. An idle worker needs nothing, and
      // after the deadline there is no time left for an order.
      if (busy && left > 0) await end;
    }
    const stuck = (await Promise.all(ends)).flat();
    this.#tasks.clear();
    this.#parts.clear();
    this.#emit({ type: "scheduler-stopped", at: this.#clock.now(), stuck });
    if (stuck.length > 0) throw new StuckWorkerError(stuck);
    const errors = parts.filter((part) => part instanceof Owned)
      .map(({ error }) => error).filter((error) => error !== undefined);
    if (errors.length > 0) {
      throw new AggregateError(
        errors.map(({ value }) => value),
        `Cannot stop the scheduler: ${errors.length} of its services failed to`,
      );
    }
  }
}

function stuckPolicy(
  onStuck: SchedulerOptions["onStuck"],
  emit: EventSink<SchedulerEvent>,
): EventSink<SchedulerEvent> {
  if (onStuck === undefined || onStuck === "report") return emit;
  if (onStuck !== "exit") {
    throw new TypeError(
      `Cannot make a Scheduler: expected "report" or "exit" as onStuck: received ${
        Deno.inspect(onStuck)
      }`,
    );
  }
  return (event) => {
    emit(event);
    if (event.type !== "worker-stuck") return;
    const { worker, waited } = event;
    report(`exiting: worker ${worker} is stuck, alive ${Math.round(waited)} ms after its end`);
    Deno.exit(1);
  };
}
