import { type LimitSettings, StateLimit } from "./_state_limit.ts";
import { isUncertain } from "./uncertain_error.ts";
import type { StateEventBody, StateOperation, StateOutcome } from "./state_events.ts";

/** What an operation needs of its surroundings. Times are in milliseconds. */
export interface OperationSettings extends LimitSettings {
  readonly concurrency: number;
  readonly backoff: (failures: number) => number;
  emit(event: StateEventBody): void;
  /** An operation begins on that key. */
  started(key: string): void;
}

interface Failures {
  count: number;
  since: number;
  delay: number;
}

/**
 * Operations on keys: one at a time on a key, and after one that was not done a pause that grows. The
 * pause holds for that operation only: a key that cannot be applied can still be removed.
 */
export class StateOperations {
  readonly #settings: OperationSettings;
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures: Record<StateOperation, Map<string, Failures>> = {
    apply: new Map(),
    remove: new Map(),
  };

  constructor(settings: OperationSettings) {
    this.#settings = settings;
  }

  /** How many are under way. */
  get pending(): number {
    return this.#running.size;
  }

  /** Those that are under way, by their keys. */
  get running(): ReadonlyMap<string, unknown> {
    return this.#running;
  }

  /** Whether one is under way on that key. */
  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  /**
   * Starts an operation, unless the key is busy or has to wait, which is nothing special.
   *
   * @param run The operation. It is given a signal of its own.
   * @param settle Told how it ended, before the key is free.
   * @returns Whether it was started.
   */
  start<Result>(
    operation: StateOperation,
    key: string,
    run: (signal: AbortSignal) => Result | Promise<Result>,
    settle: (end: { outcome: "done"; value: Result } | { outcome: "failed" | "uncertain" }) => void,
  ): boolean {
    const { concurrency, signal } = this.#settings;
    if (signal.aborted || this.#running.has(key) || this.#running.size >= concurrency) return false;
    if (this.#isBackingOff(operation, key)) return false;
    this.#settings.started(key);
    this.#settings.emit({ type: "state-operation-started", operation, key });
    const ended = this.#run(operation, key, run, settle).finally(() => this.#running.delete(key));
    this.#running.set(key, ended);
    return true;
  }

  /** Forgets the failures of keys that nobody asks for any more. */
  forgetFailures(operation: StateOperation, isWanted: (key: string) => boolean): void {
    for (const key of this.#failures[operation].keys()) {
      if (!isWanted(key) && !this.#running.has(key)) this.#failures[operation].delete(key);
    }
  }

  /** Waits until none is under way. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #isBackingOff(operation: StateOperation, key: string): boolean {
    const failures = this.#failures[operation].get(key);
    return failures !== undefined &&
      this.#settings.clock.monotonic() - failures.since <= failures.delay;
  }

  async #run<Result>(
    operation: StateOperation,
    key: string,
    run: (signal: AbortSignal) => Result | Promise<Result>,
    settle: (end: { outcome: "done"; value: Result } | { outcome: "failed" | "uncertain" }) => void,
  ): Promise<void> {
    const { emit } = this.#settings;
    using limit = new StateLimit(
      `To ${operation} ${JSON.stringify(key)}`,
      this.#settings,
      () => emit({ type: "state-overdue", call: operation, key }),
    );
    // Nothing of the user's may run within the pass that starts it.
    await Promise.resolve();
    try {
      const value = await run(limit.signal);
      this.#failures[operation].delete(key);
      settle({ outcome: "done", value });
      emit({ type: "state-operation-ended", operation, key, outcome: "done" });
    } catch (error) {
      const broken = limit.signal.aborted || isUncertain(error);
      const outcome: StateOutcome = broken ? "uncertain" : "failed";
      settle({ outcome });
      const delay = this.#failed(operation, key);
      const retry = this.#settings.signal.aborted ? {} : { retryIn: delay };
      emit({ type: "state-operation-ended", operation, key, outcome, error, ...retry });
    }
  }

  #failed(operation: StateOperation, key: string): number {
    const { clock, backoff } = this.#settings;
    const count = (this.#failures[operation].get(key)?.count ?? 0) + 1;
    const delay = backoff(count);
    this.#failures[operation].set(key, { count, since: clock.monotonic(), delay });
    return delay;
  }
}
