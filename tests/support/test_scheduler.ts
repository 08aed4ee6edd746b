import { liveWorkers } from "../../src/pool/live_workers.ts";
import type { SchedulerEvent } from "../../src/scheduler/events.ts";
import type { RunResult } from "../../src/scheduler/run_result.ts";
import type { ScheduledTask } from "../../src/scheduler/scheduled_task.ts";
import { Scheduler, type SchedulerOptions } from "../../src/scheduler/scheduler.ts";
import type { BaseTaskOptions } from "../../src/scheduler/task_options.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { EventLog } from "./event_log.ts";
import { fixture } from "./fixture.ts";

let count = 0;

/** A scheduler for a test with its own owner, a fake clock, and the events that it gave. */
export class TestScheduler implements AsyncDisposable {
  readonly owner = new AbortController();
  readonly clock: FakeClock;
  readonly log = new EventLog<SchedulerEvent>();
  readonly scheduler: Scheduler;
  readonly #names: string[] = [];

  constructor(options: Partial<SchedulerOptions> & { now?: string } = {}) {
    const { now, ...rest } = options;
    this.clock = new FakeClock(now);
    this.scheduler = new Scheduler({
      signal: this.owner.signal,
      clock: this.clock,
      onEvent: this.log.sink,
      // What can be ended is, but a busy machine takes its time. Tests of what cannot say less.
      killTimeout: 60_000,
      gracePeriod: 60_000,
      ...rest,
    });
  }

  /** Adds a fixture under a name that no other test has. */
  add(
    module: string,
    options: BaseTaskOptions & { input?: unknown },
  ): ScheduledTask<unknown, unknown> {
    const name = `${module}-${crypto.randomUUID().slice(0, 8)}-${++count}`;
    this.#names.push(name);
    return this.scheduler.add(fixture(module), {
      name,
      ...options,
    });
  }

  /** The results so far, as `outcome` or what else is asked for. */
  results(task: { readonly name: string }): RunResult[] {
    return this.log.all("run-ended").map(({ result }) => result)
      .filter((result) => result.task === task.name);
  }

  outcomes(task: { readonly name: string }): string[] {
    return this.results(task).map(({ outcome }) => outcome);
  }

  /** Waits until the task has said for the `count`-th time that it runs. */
  async running(times = 1): Promise<void> {
    await this.log.until("run-progress", times);
  }

  /** The workers of this scheduler that the runtime itself knows to be alive. */
  async alive(): Promise<number> {
    return (await liveWorkers()).filter(({ task }) => this.#names.includes(task)).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scheduler.close({ gracePeriod: 0 });
  }
}
