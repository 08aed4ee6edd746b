import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { ClosedError } from "../base/errors.ts";
import { onAbort } from "../base/on_abort.ts";
import { Owner } from "../base/owner.ts";
import { show } from "../base/show.ts";
import { QueueGate } from "./_queue_gate.ts";
import { QueueInput } from "./_queue_input.ts";
import { placesOf } from "./_queue_report.ts";
import { Stopping } from "./_queue_stop.ts";
import type { WorkItem } from "./work_item.ts";
import type { StopMode, WorkLeft } from "./work_left.ts";
import type { AddOptions, StopQueueOptions, WorkQueueOptions } from "./work_queue_options.ts";
import type { WorkQueueCounters, WorkQueueSnapshot, WorkStatus } from "./work_queue_snapshot.ts";

const PLAIN: AddOptions = {};

/**
 * Keys that need work. A key is queued once however often it is added, nobody gets a key that
 * another one has, and a key that is added while somebody has it comes once more when it is let go of.
 *
 * @example
 * ```ts
 * import { WorkQueue } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const owner = new AbortController();
 * await using queue = new WorkQueue({ signal: owner.signal });
 * queue.add("a");
 * queue.add("b", { priority: 10 });
 * queue.add("a");
 * queue.add("c", { after: { minutes: 5 } });
 * assertEquals([queue.size, queue.delayed], [2, 1]);
 * using item = await queue.take(owner.signal);
 * assertEquals(item.key, "b");
 * ```
 */
export class WorkQueue<K = string> implements AsyncDisposable {
  /** What stands in messages and snapshots. */
  readonly name: string;
  readonly #input: QueueInput<K>;
  readonly #clock: Clock;
  readonly #owner: Owner;
  readonly #gate: QueueGate<K>;

  /**
   * Makes an empty queue.
   *
   * @param options `signal` is required: it owns the queue. So is `keyOf` for keys that are no strings.
   * @throws {TypeError | RangeError} When an option is wrong.
   */
  constructor(
    options:
      & WorkQueueOptions<K>
      & ([K] extends [string] ? unknown : { keyOf: (key: K) => string }),
  ) {
    this.#input = new QueueInput(options);
    this.name = this.#input.name;
    this.#clock = options.clock ?? systemClock;
    this.#gate = new QueueGate({
      name: this.name,
      clock: this.#clock,
      times: this.#input,
      show: (key) => this.#input.show(key),
      stopped: (reason) => void this.#owner.stop({ reason }),
    });
    this.#owner = new Owner(options.signal, () => Promise.resolve(), "work queue");
    onAbort(this.#owner.signal, (reason) => this.#gate.end("now", reason));
  }

  /** Aborted when the queue has stopped, with the reason. */
  get signal(): AbortSignal {
    return this.#owner.signal;
  }

  /** Resolves when the queue has stopped, however that came. Never rejects. */
  get finished(): Promise<void> {
    return this.#owner.finished;
  }

  /** How many keys can be taken. */
  get size(): number {
    return this.#gate.core.ready.size;
  }

  /** How many keys wait for their time. */
  get delayed(): number {
    return this.#gate.core.delayed;
  }

  /** How many keys somebody has. */
  get inHand(): number {
    return this.#gate.core.inHand;
  }

  /** Whether nothing is handed out for the time being. */
  get paused(): boolean {
    return this.#gate.isPaused;
  }

  /**
   * Adds a key. One that waits already stays one: it keeps the higher priority and the earlier time of
   * both, and the key object that was given last. One that somebody has is queued when it is let go of.
   *
   * @param key What needs work.
   * @param options When, and how urgent.
   * @returns `false` when the queue has begun to stop, and so the key was refused.
   * @throws {TypeError} When the key is no string and there is no `keyOf`.
   * @throws {RangeError} When an option is out of range.
   */
  add(key: K, options: AddOptions = PLAIN): boolean {
    const id = this.#input.idOf(key);
    const priority = this.#input.priorityOf(options);
    const { core, accepts } = this.#gate;
    if (!accepts) {
      core.counters.refused++;
      return false;
    }
    const delay = options === PLAIN ? 0 : this.#input.delayOf(id, options);
    if (delay > 0) core.counters.retried++;
    core.add(id, key, priority, delay);
    return true;
  }

  /**
   * Adds a key that is ready later. The same as `add(key, { after: delay })`.
   *
   * @param key What needs work.
   * @param delay From now. Zero and less is now.
   * @param options How urgent.
   * @returns `false` when the queue has begun to stop.
   */
  addAfter(key: K, delay: Duration, options: AddOptions = PLAIN): boolean {
    return this.add(key, { ...options, after: delay });
  }

  /**
   * Adds a key that has failed: the rate limiter says when it is ready. The same as
   * `add(key, { rateLimited: true })`.
   *
   * @param key What needs work again.
   * @param options How urgent.
   * @returns `false` when the queue has begun to stop.
   */
  addRateLimited(key: K, options: AddOptions = PLAIN): boolean {
    return this.add(key, { ...options, rateLimited: true });
  }

  /** Tells the rate limiter that a key has succeeded. Whether the key is queued does not change. */
  forget(key: K): void {
    this.#input.limiter.forget(this.#input.idOf(key));
  }

  /** How many failures of a key the rate limiter has counted. */
  failures(key: K): number {
    return this.#input.limiter.failures(this.#input.idOf(key));
  }

  /**
   * Puts off a key: it is not handed out before `delay` has passed, whether it waits already, is added
   * meanwhile, or is in hand now and added again. What was said last counts: it can be shortened, and
   * 0 lifts it. It holds however long it is, never makes `minInterval` shorter, and by itself queues nothing.
   *
   * @param key What must wait.
   * @param delay From now.
   * @returns `false` when the queue has begun to stop.
   */
  defer(key: K, delay: Duration): boolean {
    const id = this.#input.idOf(key);
    const duration = toMilliseconds(delay, "delay");
    if (!this.#gate.accepts) return false;
    this.#gate.core.defer(id, key, duration);
    return true;
  }

  /**
   * Waits for a key, and takes it: `using item = await queue.take(signal)` lets go of it at the end of
   * the block, whatever happened. Those that wait are served in the order in which they came.
   *
   * @param signal Ends the wait.
   * @returns Rejects with the reason of `signal`, or of the stop of the queue.
   */
  take(signal?: AbortSignal): Promise<WorkItem<K>> {
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      return Promise.reject(
        new TypeError(
          `Cannot take from ${this.name}: expected an AbortSignal: received ${show(signal)}`,
        ),
      );
    }
    if (signal?.aborted) return Promise.reject(signal.reason);
    const item = this.#gate.tryTake();
    return item === undefined ? this.#gate.wait(signal) : Promise.resolve(item);
  }

  /** Takes a key if one is ready, and nobody may wait before. */
  tryTake(): WorkItem<K> | undefined {
    return this.#gate.tryTake();
  }

  /** Hands out nothing until `resume()`. Adds and delays go on. */
  pause(): void {
    this.#gate.pause();
  }

  /** Hands out again. */
  resume(): void {
    this.#gate.resume();
  }

  /**
   * Stops the queue. Adds are refused from now on. Further calls join this stop: of all modes the
   * strictest counts (`"now"` before `"finish"` before `"drain"`), of all deadlines the earliest. At
   * its end everybody who waits in `take()` is released in the same turn. A pause holds also in a
   * drain, which then ends with what is in hand, and says what was left.
   *
   * @param mode What still happens. Default: `"finish"`.
   * @param options How long, and why.
   * @returns What was left.
   * @throws {WorkLeftError} When the deadline passed first; it says what was left. An abort of the
   * owner, or a stop `"now"`, is no error: what was left is the result.
   */
  stop(mode: StopMode = "finish", options: StopQueueOptions = {}): Promise<WorkLeft<K>> {
    Stopping.check(mode, this.name);
    const deadline = options.deadline === undefined
      ? this.#input.gracePeriod
      : toMilliseconds(options.deadline, "deadline", { allowInfinity: true });
    return this.#gate.stop(
      mode,
      deadline,
      () => options.reason ?? new ClosedError(`take from ${this.name}`, "the queue was stopped"),
    );
  }

  /** Stops with the mode `"finish"`; see `stop()`. */
  async close(options: StopQueueOptions = {}): Promise<void> {
    await this.stop("finish", options);
    await this.finished;
  }

  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Where a key is now. It takes the same time however many there are. */
  status(key: K): WorkStatus<K> {
    const entry = this.#gate.core.entries.get(this.#input.idOf(key));
    const { queued, delayed, inHand } = placesOf(entry === undefined ? [] : [entry], this.#clock);
    return { queued: queued[0], delayed: delayed[0], inHand: inHand[0] };
  }

  /** What happened so far. */
  get counters(): WorkQueueCounters {
    return { ...this.#gate.core.counters };
  }

  /** How the queue is now. It takes time in proportion to the keys. */
  snapshot(): WorkQueueSnapshot<K> {
    const { core, isPaused, mode, waiting } = this.#gate;
    return {
      name: this.name,
      paused: isPaused,
      stopping: mode,
      waiting,
      ...placesOf(core.entries.values(), this.#clock),
      counters: this.counters,
    };
  }
}
