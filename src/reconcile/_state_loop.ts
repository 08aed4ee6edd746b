import { track } from "../base/live.ts";
import { pause } from "./_pause.ts";
import { type Fact, StateFacts } from "./_state_facts.ts";
import { StateLimit } from "./_state_limit.ts";
import { StateLooks } from "./_state_looks.ts";
import { type OperationSettings, StateOperations } from "./_state_operations.ts";
import type { ReconcileStateOptions } from "./state_options.ts";

/** Options, checked. Times are in milliseconds. */
export interface StateSettings extends Omit<OperationSettings, "signal" | "started"> {
  readonly pause: number;
  readonly absentFor: number;
  readonly refresh: number;
}

/** One run of a reconciler of states. */
export class StateLoop<Desired, Actual> {
  readonly #options: ReconcileStateOptions<Desired, Actual>;
  readonly #settings: StateSettings;
  readonly #signal: AbortSignal;
  readonly #operations: StateOperations;
  readonly #facts = new StateFacts<Actual>();
  readonly #looks: StateLooks<Actual>;
  /** Keys that exist and are not desired, and since when. */
  readonly #absent = new Map<string, number>();
  #desired = new Map<string, Desired>();

  constructor(
    options: ReconcileStateOptions<Desired, Actual>,
    settings: StateSettings,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#settings = settings;
    this.#signal = signal;
    this.#operations = new StateOperations({
      ...settings,
      signal,
      started: (key) => this.#looks.touch(key),
    });
    this.#looks = new StateLooks({
      clock: settings.clock,
      signal,
      timeout: settings.timeout,
      every: settings.refresh,
      facts: this.#facts,
      look: (signal) => options.actual(signal),
      emit: settings.emit,
    });
  }

  /** Looks at what there is again, in the next pass. */
  refresh(): void {
    this.#looks.want();
  }

  /** Until the signal aborts. */
  async run(): Promise<void> {
    const { promise: finished, resolve } = Promise.withResolvers<void>();
    using _live = track({
      kind: "reconciler",
      name: this.#options.name ?? "state",
      state: () => `running, ${this.#operations.pending} operations`,
      signal: this.#signal,
      finished,
    });
    try {
      if (this.#signal.aborted) return;
      await this.#reconstruct();
      while (!this.#signal.aborted) {
        await this.#pass();
        await pause(this.#settings.clock, this.#settings.pause, this.#signal);
      }
    } finally {
      await Promise.all([this.#operations.ended(), this.#looks.ended()]);
      resolve();
    }
  }

  async #reconstruct(): Promise<void> {
    using limit = this.#limit("To find out what there is", "actual");
    try {
      for (const [key, actual] of await this.#options.actual(limit.signal)) {
        this.#facts.set(key, { actual, certain: false });
      }
    } catch (error) {
      if (this.#signal.aborted) return;
      const name = this.#options.name ?? "state";
      throw new Error(`Cannot run "${name}": what there is could not be found out`, {
        cause: error,
      });
    }
    if (this.#signal.aborted) return;
    this.#settings.emit({ type: "state-reconstructed", keys: [...this.#facts.keys()] });
  }

  async #pass(): Promise<void> {
    this.#looks.begin(this.#operations.running);
    const isComplete = await this.#readDesired();
    // Reading may have taken its time.
    if (this.#signal.aborted) return;
    // Also of what may be incomplete: what it has is not absent.
    for (const key of this.#absent.keys()) {
      if (this.#desired.has(key) || !this.#facts.has(key)) this.#absent.delete(key);
    }
    // First, so that what moves from one key to another is released before it is taken.
    let started = isComplete ? this.#startRemovals() : 0;
    started += this.#startApplications();
    this.#operations.forgetFailures("apply", (key) => this.#desired.has(key));
    this.#operations.forgetFailures("remove", (key) => this.#facts.has(key));
    this.#settings.emit({ type: "state-pass", started, pending: this.#operations.pending });
  }

  /** Whether what is missing in it may be removed. */
  async #readDesired(): Promise<boolean> {
    try {
      {
        using limit = this.#limit("To read what is desired", "desired");
        this.#desired = new Map(await this.#options.desired(limit.signal));
      }
      return await this.#options.complete?.() ?? true;
    } catch (error) {
      if (!this.#signal.aborted) this.#settings.emit({ type: "state-desired-failed", error });
      return false;
    }
  }

  #limit(what: string, call: "actual" | "desired"): StateLimit {
    const { clock, timeout, emit } = this.#settings;
    const overdue = (): void => emit({ type: "state-overdue", call });
    return new StateLimit(what, { clock, timeout, signal: this.#signal }, overdue);
  }

  #startRemovals(): number {
    const now = this.#settings.clock.monotonic();
    let started = 0;
    for (const key of this.#facts.keys()) {
      if (this.#desired.has(key)) continue;
      const since = this.#absent.get(key) ?? now;
      this.#absent.set(key, since);
      if (now - since >= this.#settings.absentFor && this.#startRemoval(key)) started++;
    }
    return started;
  }

  #startRemoval(key: string): boolean {
    const { actual, certain } = this.#facts.get(key)!;
    return this.#operations.start(
      "remove",
      key,
      (signal) => this.#options.remove(key, actual, { signal, certain }),
      ({ outcome }) => {
        if (outcome === "done") this.#facts.delete(key);
        else if (outcome === "uncertain") this.#facts.set(key, { actual, certain: false });
      },
    );
  }

  #startApplications(): number {
    let started = 0;
    for (const [key, desired] of this.#desired) {
      // What there is changes at its end: to compare before that would be for nothing.
      if (this.#operations.isRunning(key)) continue;
      const fact = this.#facts.get(key);
      try {
        if (fact?.certain && this.#options.matches(desired, fact.actual as Actual)) continue;
        if (this.#startApplication(key, desired, fact)) started++;
      } catch (error) {
        // Nobody can tell whether it is as desired: a failure of this key, and of no other.
        if (this.#operations.start("apply", key, () => Promise.reject(error), () => {})) started++;
      }
    }
    return started;
  }

  #startApplication(key: string, desired: Desired, fact: Fact<Actual> | undefined): boolean {
    const actual = fact?.actual;
    const certain = fact?.certain ?? true;
    return this.#operations.start(
      "apply",
      key,
      (signal) => this.#options.apply(key, desired, actual, { signal, certain }),
      (end) => {
        if (end.outcome === "done") this.#facts.set(key, { actual: end.value, certain: true });
        // Something may be there now, so it must not be taken for absent.
        else if (end.outcome === "uncertain") this.#facts.set(key, { actual, certain: false });
      },
    );
  }
}
