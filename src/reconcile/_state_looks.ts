import type { StateFacts } from "./_state_facts.ts";
import { type LimitSettings, StateLimit } from "./_state_limit.ts";
import type { StateEventBody } from "./state_events.ts";
import type { StateEntries } from "./state_options.ts";

/** What looks need of their loop. */
export interface LooksHost<Actual> extends LimitSettings {
  /** From the end of a look to the next, in milliseconds; `Infinity`: only when one is asked for. */
  readonly every: number;
  readonly facts: StateFacts<Actual>;
  look(signal: AbortSignal): StateEntries<Actual> | Promise<StateEntries<Actual>>;
  emit(event: StateEventBody): void;
}

/** Looks at what there is, again and again, beside the passes. */
export class StateLooks<Actual> {
  readonly #host: LooksHost<Actual>;
  /** Keys of operations that are under way, or were since the look began. */
  #touched = new Set<string>();
  #looking: Promise<void> | undefined;
  /** Of which keys it was asked for what there is now, and no look has told it yet. */
  #asked: ReadonlySet<string> | "all" = new Set();
  #last: number;

  constructor(host: LooksHost<Actual>) {
    this.#host = host;
    this.#last = host.clock.monotonic();
  }

  /** Whatever a look under way has seen, there is to be another one. */
  want(): void {
    this.#asked = "all";
  }

  /** An operation begins. What a look that is under way finds of its key may be from before it. */
  touch(key: string): void {
    if (this.#looking !== undefined) this.#touched.add(key);
  }

  /**
   * Begins to look if it is time.
   *
   * @param busy The operations that are under way, by their keys.
   */
  begin(busy: ReadonlyMap<string, unknown>): void {
    const { clock, every, signal } = this.#host;
    if (this.#looking !== undefined || signal.aborted) return;
    if (!this.#isAsked(busy) && clock.monotonic() - this.#last < every) return;
    const asked = this.#asked;
    this.#asked = new Set();
    this.#touched = new Set(busy.keys());
    this.#looking = this.#look().then((hasSeen) => {
      this.#looking = undefined;
      this.#last = clock.monotonic();
      const touched = this.#touched;
      this.#touched = new Set();
      if (this.#asked === "all") return;
      // Of those it has seen nothing, and their operations may have ended before what was to be seen.
      const missed = asked === "all" ? touched : touched.intersection(asked);
      this.#asked = hasSeen ? missed : asked;
    });
  }

  /** Waits until none is under way. */
  async ended(): Promise<void> {
    await this.#looking;
  }

  #isAsked(busy: ReadonlyMap<string, unknown>): boolean {
    return this.#asked === "all" || !this.#asked.isSubsetOf(busy);
  }

  /** Never rejects. Whether it has seen what there is. */
  async #look(): Promise<boolean> {
    const { look, signal, facts, emit } = this.#host;
    // Nothing of the user's may run within the pass that starts it.
    await Promise.resolve();
    using limit = new StateLimit(
      "To find out what there is",
      this.#host,
      () => emit({ type: "state-overdue", call: "actual" }),
    );
    try {
      const found = await look(limit.signal);
      if (signal.aborted) return false;
      emit({ type: "state-refreshed", ...facts.merge(found, this.#touched) });
      return true;
    } catch (error) {
      if (!signal.aborted) emit({ type: "state-refresh-failed", error });
      return false;
    }
  }
}
