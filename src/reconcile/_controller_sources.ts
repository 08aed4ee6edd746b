import type { Clock } from "../base/clock.ts";
import { RunningSource, type SourceHost } from "./_running_source.ts";
import type { Source } from "./source.ts";

/** What the sources need of their controller. Times are in milliseconds. */
export interface SourcesHost extends Omit<SourceHost, "changed"> {
  readonly clock: Clock;
  readonly syncTimeout: number;
  /** All that were there at the start are synced. */
  synced(): void;
  /** Some were not, in time. */
  late(names: readonly string[]): void;
}

/** The sources of one controller. */
export class ControllerSources {
  /** As that of the controller. */
  readonly synced: Promise<void>;
  readonly #host: SourcesHost;
  readonly #all = new Set<RunningSource>();
  /** Those of the start that are not synced. */
  readonly #awaited = new Set<RunningSource>();
  readonly #synced = Promise.withResolvers<void>();
  #isSynced = false;
  #syncTimer: Disposable | undefined;
  #resyncTimer: Disposable | undefined;
  #isStopped = false;

  constructor(host: SourcesHost) {
    this.#host = host;
    this.synced = this.#synced.promise;
    this.synced.catch(() => {});
  }

  /** Those that have not ended. */
  get all(): readonly RunningSource[] {
    return [...this.#all];
  }

  /** Whether keys may be reconciled. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Starts the first ones; all of them at once. */
  start(sources: readonly Source[]): void {
    for (const source of sources) this.#awaited.add(this.add(source));
    const { clock, syncTimeout } = this.#host;
    if (this.#awaited.size > 0) {
      this.#syncTimer = clock.setTimer(
        () => this.#host.late([...this.#awaited].map(({ name }) => name)),
        syncTimeout,
      );
    } else {
      // Not in the midst of the constructor: the sink may use what is being made.
      queueMicrotask(() => this.#isStopped || this.#syncedAll());
    }
    this.#armResync();
  }

  /** Starts one. */
  add(source: Source): RunningSource {
    const running = new RunningSource(source, {
      ...this.#host,
      changed: (source) => this.#changed(source),
    });
    this.#all.add(running);
    return running;
  }

  /** Ends all of them; resolves when they have ended. */
  async stop(reason: unknown): Promise<void> {
    this.#isStopped = true;
    this.#syncTimer?.[Symbol.dispose]();
    this.#resyncTimer?.[Symbol.dispose]();
    this.#synced.reject(reason);
    await Promise.all([...this.#all].map((source) => source.stop(reason)));
  }

  #changed(source: RunningSource): void {
    if (source.state === "ended") this.#all.delete(source);
    // Nothing more can be expected of one that has ended.
    if (source.isSynced || source.state === "ended") this.#awaited.delete(source);
    if (this.#awaited.size === 0 && !this.#isStopped) this.#syncedAll();
  }

  #syncedAll(): void {
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#syncTimer?.[Symbol.dispose]();
    this.#synced.resolve();
    this.#host.synced();
  }

  #armResync(): void {
    const { clock, resync } = this.#host;
    if (resync === undefined || this.#isStopped) return;
    this.#resyncTimer = clock.setTimer(() => {
      for (const source of this.#all) source.resync();
      this.#armResync();
    }, resync);
  }
}
