import type { ControllerEvent, ReconcileRun } from "../../src/reconcile/controller_events.ts";
import type { ControllerOptions } from "../../src/reconcile/controller_options.ts";
import { Controller } from "../../src/reconcile/controller.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { EventLog } from "./event_log.ts";
import { fixture } from "./fixture.ts";

let count = 0;

/** A controller for a test with its own owner, a fake clock, and the events that it gave. */
export class TestController implements AsyncDisposable {
  readonly owner = new AbortController();
  readonly clock = new FakeClock();
  readonly log = new EventLog<ControllerEvent>();
  readonly controller: Controller<typeof import("../fixtures/reconcile.ts")>;

  constructor(options: Partial<ControllerOptions> & { module?: string | URL } = {}) {
    const { module = fixture("reconcile"), ...rest } = options;
    this.controller = new Controller(module, {
      signal: this.owner.signal,
      name: `reconcile-${crypto.randomUUID().slice(0, 8)}-${++count}`,
      clock: this.clock,
      onEvent: this.log.sink,
      // What can be ended is, but a busy machine takes its time. Tests of what cannot say less.
      killTimeout: 60_000,
      ...rest,
    });
  }

  /** The runs that have ended. */
  get runs(): ReconcileRun[] {
    return this.log.all("reconcile-ended").map(({ run }) => run);
  }

  /** How they ended, as `key: outcome`. */
  get outcomes(): string[] {
    return this.runs.map(({ key, outcome }) => `${key}: ${outcome}`);
  }

  /** Waits for the end of so many runs, or of so many of one key. */
  async ended(times: number, of?: string): Promise<ReconcileRun> {
    for (let index = 1, count = 0;; index++) {
      const { run } = await this.log.until("reconcile-ended", index);
      if ((of === undefined || run.key === of) && ++count === times) return run;
    }
  }

  /** Waits until a run of the key has said that it is under way. */
  async begun(key: string): Promise<void> {
    for (let index = 1;; index++) {
      const event = await this.log.until("reconcile-log", index);
      if (event.key === key && event.message === "begin") return;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.controller.close({ gracePeriod: 0 });
  }
}
