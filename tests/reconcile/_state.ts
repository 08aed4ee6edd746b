import { reconcileState } from "../../src/reconcile/reconcile_state.ts";
import type { StateEvent } from "../../src/reconcile/state_events.ts";
import type { ReconcileStateOptions } from "../../src/reconcile/state_options.ts";
import type { StateReconciler } from "../../src/reconcile/state_reconciler.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import { EventLog } from "../support/event_log.ts";

/** A world of numbers with a reconciler, on a clock that stands still. */
export class TestState implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly log = new EventLog<StateEvent>();
  readonly desired = new Map<string, number>();
  readonly calls: string[] = [];
  readonly reconciler: StateReconciler;
  readonly #owner = new AbortController();
  readonly #run: Promise<void>;

  constructor(options: Partial<ReconcileStateOptions<number, number>> = {}) {
    this.reconciler = reconcileState<number, number>({
      desired: () => this.desired,
      actual: () => [],
      matches: (wanted, there) => wanted === there,
      apply: (key, wanted) => {
        this.calls.push(`apply ${key}=${wanted}`);
        return wanted;
      },
      remove: (key) => void this.calls.push(`remove ${key}`),
      clock: this.clock,
      onEvent: this.log.sink,
      ...options,
    });
    this.#run = this.reconciler.run(this.#owner.signal);
  }

  /** Waits until another pass is over that found nothing under way, and returns what was called. */
  async passed(wait = 0): Promise<string[]> {
    await this.step(wait);
    while (this.log.all("state-pass").at(-1)!.pending > 0) {
      const ends = this.log.all("state-operation-started").length;
      await this.log.until("state-operation-ended", ends);
      await this.step();
    }
    return this.calls;
  }

  /** Waits for one pass more, after so much more than the pause. */
  async step(wait = 0): Promise<void> {
    const passes = this.log.all("state-pass").length;
    if (passes === 0) await this.log.until("state-pass");
    const now = this.log.all("state-pass").length;
    // The pause begins in the turn after the event.
    while (this.clock.timers === 0) await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.clock.advance(wait);
    this.clock.advance(100);
    await this.log.until("state-pass", now + 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#owner.abort();
    await this.#run;
  }
}
