import type { Clock } from "../base/clock.ts";
import { type CoreHandlers, type CoreTimes, QueueCore } from "./_queue_core.ts";
import { leftOf } from "./_queue_report.ts";
import { Stopping } from "./_queue_stop.ts";
import { Waiters } from "./_queue_waiters.ts";
import type { WorkItem } from "./work_item.ts";
import { type StopMode, type WorkLeft, WorkLeftError } from "./work_left.ts";

/** What a gate needs of its queue. */
export interface GateHost {
  /** What stands in messages. */
  readonly name: string;
  readonly clock: Clock;
  readonly times: CoreTimes;
  /** A key for a message. */
  show(key: unknown): string;
  /** It has stopped. */
  stopped(reason: unknown): void;
}

/** Hands out what is ready, to those that look and to those that wait, until it is stopped. */
export class QueueGate<K> implements CoreHandlers {
  /** Where the keys are. */
  readonly core: QueueCore<K>;
  readonly #host: GateHost;
  readonly #waiters = new Waiters<WorkItem<K>>();
  readonly #left = Promise.withResolvers<WorkLeft<K>>();
  #stopping: Stopping | undefined;
  #endedBy: StopMode | undefined;
  #reason: unknown;
  #isPaused = false;
  /** Whether it hands out anything: it is neither paused, nor at its end, nor about to finish. */
  #isOpen = true;

  constructor(host: GateHost) {
    this.#host = host;
    this.core = new QueueCore(host.clock, host.times, this);
    this.#left.promise.catch(() => {});
  }

  /** Whether keys can be added. */
  get accepts(): boolean {
    return this.#stopping === undefined && this.#endedBy === undefined;
  }

  /** Whether nothing is handed out for the time being. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** How it stops, or has stopped. */
  get mode(): StopMode | undefined {
    return this.#endedBy ?? this.#stopping?.mode;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Waits for a key. Only for those who were given none by `tryTake()`. */
  wait(signal: AbortSignal | undefined): Promise<WorkItem<K>> {
    return this.#endedBy !== undefined || this.#isFinishing()
      ? Promise.reject(this.#reason)
      : this.#waiters.wait(signal);
  }

  /** As that of the queue. */
  tryTake(): WorkItem<K> | undefined {
    return this.#isOpen ? this.core.take() : undefined;
  }

  /** As that of the queue. */
  pause(): void {
    this.#isPaused = true;
    this.#turn();
    this.released();
  }

  /** As that of the queue. */
  resume(): void {
    this.#isPaused = false;
    this.#turn();
    if (this.#waiters.size > 0) this.ready(this.#host.clock.monotonic());
  }

  /**
   * Begins to stop, or tightens a stop that has begun.
   *
   * @param mode What still happens.
   * @param deadline How long it may take, in milliseconds.
   * @param reasonOf Makes what those get that wait.
   */
  stop(mode: StopMode, deadline: number, reasonOf: () => unknown): Promise<WorkLeft<K>> {
    if (this.#endedBy !== undefined) return this.#left.promise;
    if (this.#stopping === undefined) {
      this.#reason = reasonOf();
      this.#stopping = new Stopping(this.#host.clock, () => this.#late());
      // What is due, and whose timer is late, is queued.
      if (mode === "drain") this.core.settle();
      this.core.stop();
    }
    this.#stopping.tighten(mode, deadline);
    this.#turn();
    if (this.#isFinishing()) this.#waiters.end(this.#reason);
    this.released();
    return this.#left.promise;
  }

  /** The end of all modes, and of the owner's abort. */
  end(mode: StopMode, reason: unknown, missed?: number): void {
    if (this.#endedBy !== undefined) return;
    const { name, clock, show } = this.#host;
    this.#endedBy = mode;
    this.#reason = reason;
    this.#turn();
    const left = leftOf(this.core.entries.values(), mode, clock.monotonic());
    this.#stopping?.[Symbol.dispose]();
    this.core.end();
    this.#waiters.end(reason);
    if (missed === undefined) this.#left.resolve(left);
    else this.#left.reject(new WorkLeftError(name, missed, left, show));
    this.#host.stopped(reason);
  }

  /** Gives what is ready to those that wait. */
  ready(now: number): void {
    while (this.#waiters.size > 0 && this.#isOpen && this.core.ready.size > 0) {
      // Not take(): that may move on what is due, and be back here before it returns.
      this.#waiters.resolve(this.core.takeReady(now)!);
    }
  }

  /** Ends a stop when nothing more is to come. What a pause holds back does not come. */
  released(): void {
    const mode = this.#stopping?.mode;
    if (mode === undefined || this.#endedBy !== undefined) return;
    const { inHand, ready } = this.core;
    const isDone = inHand === 0 && (mode === "finish" || this.#isPaused || ready.size === 0);
    if (isDone || mode === "now") this.end(mode, this.#reason);
  }

  /** Opens or closes. */
  #turn(): void {
    this.#isOpen = !this.#isPaused && this.#endedBy === undefined && !this.#isFinishing();
  }

  #isFinishing(): boolean {
    return this.#stopping !== undefined && this.#stopping.mode !== "drain";
  }

  #late(): void {
    const { mode, deadline } = this.#stopping!;
    this.end(mode, this.#reason, deadline);
  }
}
