import { ClosedError, type StuckWorker, StuckWorkerError } from "../base/errors.ts";
import { formatDuration } from "../base/format_duration.ts";
import { onAbort } from "../base/on_abort.ts";
import type { SchedulerEvent } from "../scheduler/events.ts";
import type { ScheduledTask } from "../scheduler/scheduled_task.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { shutdownSignal } from "../scheduler/shutdown_signal.ts";
import type { Output } from "./_output.ts";
import { createView, type ViewKind } from "./_create_view.ts";
import type { View, ViewOptions } from "./_view.ts";

/** After the grace period: the time for observing deaths, before the process ends in spite of it. */
const LAST_RESORT = 15_000;

const WITH_HANG_UP: Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** What runs, and how it is shown. */
export interface SessionOptions extends Omit<ViewOptions, "tasks"> {
  readonly output: Output;
  readonly view: ViewKind;
  /** Milliseconds. */
  readonly gracePeriod: number;
  /** Stop as soon as nothing will ever run again. */
  readonly endWhenFinished: boolean;
  /** Stop also when the terminal goes away. Not for what may be started with `nohup`. */
  readonly endOnHangUp?: boolean;
  /** Adds the tasks. When it rejects, everything is stopped and the session rejects with it. */
  start(session: Session): void | Promise<void>;
  onEvent?(event: SchedulerEvent): void;
}

/** A session that goes on. */
export interface Session {
  readonly scheduler: Scheduler;
  /** Aborted as soon as it is to end. */
  readonly signal: AbortSignal;
  readonly view: View;
  /** Ends it. */
  stop(reason: unknown): void;
}

/** How a session ended: everything that was in it is gone, but for the stuck workers. */
export interface SessionEnd {
  readonly stuck: readonly StuckWorker[];
  readonly tasks: readonly ScheduledTask[];
  /** It ended by itself, because nothing would ever have run again. */
  readonly finished: boolean;
  /** The tasks that had been given up by then. */
  readonly givenUp: readonly string[];
}

/** Runs a scheduler until it is told to stop: by a signal of the system, or when nobody reads. */
export async function runSession(options: SessionOptions): Promise<SessionEnd> {
  const { output, gracePeriod } = options;
  using shutdown = shutdownSignal({
    gracePeriod: gracePeriod + LAST_RESORT,
    ...(options.endOnHangUp && Deno.build.os !== "windows" ? { signals: WITH_HANG_UP } : {}),
  });
  const owner = new AbortController();
  const stop = (reason: unknown): void => owner.abort(reason);
  using _shutdown = onAbort(shutdown, stop);
  using _lost = onAbort(output.lost, stop);

  /** Also those that a scheduler which has stopped does not know any more. */
  const known = new Map<string, ScheduledTask>();
  const tasks = (): ScheduledTask[] => {
    for (const task of scheduler.tasks) known.set(task.name, task);
    return [...known.values()];
  };
  const givenUp = new Set<string>();
  using view = createView(options.view, output, { ...options, tasks });
  let started = false;
  let finished = false;
  const endIfFinished = (): void => {
    const states = tasks().map(({ state }) => state);
    if (!started || owner.signal.aborted) return;
    if (states.some((state) => state !== "finished" && state !== "given-up")) return;
    finished = true;
    stop(new DOMException("No task will ever run again", "AbortError"));
  };

  const scheduler: Scheduler = new Scheduler({
    signal: owner.signal,
    gracePeriod,
    onEvent(event) {
      if (event.type === "task-given-up") givenUp.add(event.task);
      if (event.type === "task-resumed") givenUp.delete(event.task);
      options.onEvent?.(event);
      view.event(event);
      if (event.type === "scheduler-stopping") sayWhatIsWaitedFor(event.reason);
      // The event comes first, the new state of its task in the same turn.
      if (options.endWhenFinished) queueMicrotask(endIfFinished);
    },
  });
  const sayWhatIsWaitedFor = (reason: unknown): void => {
    const busy = tasks().filter(({ active }) => active.length > 0).map(({ name }) => name);
    if (busy.length === 0 || !shutdown.aborted) return;
    const name = reason instanceof Error ? reason.message : String(reason);
    view.say(
      `${name}: again to exit at once. Waiting up to ${formatDuration(gracePeriod)} for ` +
        `${busy.join(", ")}`,
    );
  };

  try {
    try {
      await options.start({ scheduler, signal: owner.signal, view, stop });
    } catch (error) {
      // It was told to stop before it had begun.
      if (!(error instanceof ClosedError && owner.signal.aborted)) throw error;
    }
    started = true;
    if (options.endWhenFinished) endIfFinished();
    // It settles when the owner, or somebody else, has stopped it.
    const stuck = await stuckAfter(scheduler.finished);
    return { stuck, tasks: tasks(), finished, givenUp: [...givenUp] };
  } finally {
    await stuckAfter(scheduler.close());
  }
}

async function stuckAfter(finished: Promise<void>): Promise<readonly StuckWorker[]> {
  try {
    await finished;
    return [];
  } catch (error) {
    if (error instanceof StuckWorkerError) return error.workers;
    throw error;
  }
}

/** The line that says whether everything is gone. */
export function describeAlive(stuck: readonly StuckWorker[]): string {
  if (stuck.length === 0) return "workers alive: 0";
  const names = stuck.map(({ worker, waited }) =>
    `${worker} is stuck: terminated, alive ${formatDuration(Math.round(waited))} later`
  );
  return `workers alive: ${stuck.length} (${names.join("; ")})`;
}
