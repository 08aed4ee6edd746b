import type { Clock } from "../base/clock.ts";
import { track } from "../base/live.ts";
import { iterate } from "./_iterate.ts";
import { pause } from "./_pause.ts";
import type { ControllerEventBody } from "./controller_events.ts";
import type { ControllerSource } from "./controller_source.ts";
import { LOW_PRIORITY, type Source, type SourceSink } from "./source.ts";

/** What a source needs of its controller. */
export interface SourceHost {
  readonly clock: Clock;
  readonly retryDelay: (failures: number) => number;
  /** How long from one resync to the next, if there is any, in milliseconds. */
  readonly resync: number | undefined;
  add(key: string, options: Parameters<SourceSink["add"]>[1]): void;
  emit(event: ControllerEventBody): void;
  /** It is gone, or synced for the first time. */
  changed(source: RunningSource): void;
}

/** One that has run for so long in milliseconds starts anew with short waits when it fails. */
const HEALTHY = 30_000;

/** A source at work: run again when it fails, until it ends, is removed, or everything stops. */
export class RunningSource implements ControllerSource {
  state: ControllerSource["state"] = "starting";
  /** Whether it has ever been synced. */
  isSynced = false;
  readonly name: string;
  /** Settles when it has ended. Never rejects. */
  readonly ended: Promise<void>;
  readonly #source: Source;
  readonly #host: SourceHost;
  readonly #controller = new AbortController();
  readonly #listings = new Set<Promise<void>>();
  #isRemoved = false;

  constructor(source: Source, host: SourceHost) {
    this.#source = source;
    this.#host = host;
    this.name = source.name;
    this.ended = this.#live();
  }

  remove(): Promise<void> {
    this.#isRemoved = true;
    return this.stop(new DOMException(`Source "${this.name}" was removed`, "AbortError"));
  }

  /** Ends it; resolves when it has ended. */
  stop(reason: unknown): Promise<void> {
    this.#controller.abort(reason);
    return this.ended;
  }

  /** Queues all keys that it can list, after all others. A listing under way is enough. */
  resync(): void {
    if (this.#source.list === undefined || this.#listings.size > 0 || this.state !== "synced") {
      return;
    }
    const listing = this.#list().finally(() => this.#listings.delete(listing));
    this.#listings.add(listing);
  }

  async #list(): Promise<void> {
    const { signal } = this.#controller;
    try {
      await iterate(await this.#source.list!(signal), signal, (key) => {
        this.#host.add(key, { priority: LOW_PRIORITY });
      });
    } catch (error) {
      if (!signal.aborted) this.#failed(error, this.#host.resync!);
    }
  }

  async #live(): Promise<void> {
    const { signal } = this.#controller;
    using _live = track({
      kind: "source",
      name: this.name,
      state: () => this.state,
      signal,
    });
    // Whoever adds it is to hear of nothing before it has it.
    await Promise.resolve();
    let failures = 0;
    while (!signal.aborted) {
      const began = this.#host.clock.monotonic();
      try {
        this.state = "starting";
        await this.#source.run(this.#sink(), signal);
        break;
      } catch (error) {
        if (signal.aborted) break;
        if (this.#host.clock.monotonic() - began >= HEALTHY) failures = 0;
        this.state = "failed";
        const retryIn = this.#host.retryDelay(++failures);
        this.#failed(error, retryIn);
        await pause(this.#host.clock, retryIn, signal);
      }
    }
    while (this.#listings.size > 0) await Promise.all(this.#listings);
    this.state = "ended";
    this.#host.emit({ type: "source-ended", source: this.name, removed: this.#isRemoved });
    this.#host.changed(this);
  }

  /** For one run: what an earlier run still adds goes nowhere. */
  #sink(): SourceSink {
    const { signal } = this.#controller;
    let isSynced = false;
    return {
      add: (key, options) => {
        if (signal.aborted) return;
        this.#host.add(key, isSynced ? options : { priority: LOW_PRIORITY, ...options });
      },
      synced: () => {
        if (isSynced || signal.aborted) return;
        isSynced = true;
        this.state = "synced";
        this.isSynced = true;
        this.#host.emit({ type: "source-synced", source: this.name });
        this.#host.changed(this);
      },
    };
  }

  #failed(error: unknown, retryIn: number): void {
    this.#host.emit({ type: "source-failed", source: this.name, error, retryIn });
  }
}
