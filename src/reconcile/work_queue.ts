import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { ClosedError } from "../base/errors.ts";
import { onAbort } from "../base/on_abort.ts";
import { Owner } from "../base/owner.ts";
import { show } from "../base/show.ts";
import { Delays } from "./_queue_delays.ts";
import { AGAIN, COOLING, DELAYED, Entry, IN_HAND, READY } from "./_queue_entry.ts";
import { Hand } from "./_queue_hand.ts";
import { ReadySet } from "./_queue_ready.ts";
import { Counters, leftOf, placesOf } from "./_queue_report.ts";
import { Stopping } from "./_queue_stop.ts";
import { Waiters } from "./_queue_waiters.ts";
import { exponentialLimiter } from "./exponential_limiter.ts";
import type { RateLimiter } from "./rate_limiter.ts";
import type { WorkItem } from "./work_item.ts";
import { type StopMode, type WorkLeft, WorkLeftError } from "./work_left.ts";
import type { AddOptions, StopQueueOptions, WorkQueueOptions } from "./work_queue_options.ts";
import type { WorkQueueSnapshot } from "./work_queue_snapshot.ts";

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
  readonly #keyOf: ((key: K) => string) | undefined;
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  readonly #minInterval: number;
  readonly #gracePeriod: number;
  readonly #owner: Owner;
  readonly #entries = new Map<string, Entry<K>>();
  readonly #ready: ReadySet<K>;
  readonly #delays: Delays<K>;
  readonly #waiters = new Waiters<WorkItem<K>>();
  readonly #counters = new Counters();
  readonly #left = Promise.withResolvers<WorkLeft<K>>();
  #stopping: Stopping | undefined;
  #ended = false;
  #reason: unknown;
  #paused = false;
  #delayed = 0;
  #inHand = 0;

  /**
   * Makes an empty queue.
   *
   * @param options `signal` is required: it owns the queue.
   * @throws {RangeError} When a duration is out of range.
   */
  constructor(options: WorkQueueOptions<K>) {
    this.name = options.name ?? "work queue";
    this.#keyOf = options.keyOf;
    this.#clock = options.clock ?? systemClock;
    this.#limiter = options.rateLimiter ?? exponentialLimiter();
    this.#minInterval = toMilliseconds(options.minInterval ?? 0, "minInterval");
    this.#gracePeriod = toMilliseconds(options.gracePeriod ?? 30_000, "gracePeriod", {
      allowInfinity: true,
    });
    this.#ready = new ReadySet(
      toMilliseconds(options.ageing ?? 1_000, "ageing", { allowInfinity: true }),
    );
    this.#delays = new Delays(this.#clock, () => this.#promote(this.#clock.monotonic()));
    this.#left.promise.catch(() => {});
    this.#owner = new Owner(options.signal, () => Promise.resolve(), "work queue");
    onAbort(this.#owner.signal, (reason) => this.#end("now", reason));
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
    return this.#ready.size;
  }

  /** How many keys wait for their time. */
  get delayed(): number {
    return this.#delayed;
  }

  /** How many keys somebody has. */
  get inHand(): number {
    return this.#inHand;
  }

  /** Whether nothing is handed out for the time being. */
  get paused(): boolean {
    return this.#paused;
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
    const id = this.#idOf(key);
    const priority = this.#priorityOf(options);
    if (this.#stopping !== undefined || this.#ended) {
      this.#counters.refused++;
      return false;
    }
    const delay = options === PLAIN ? 0 : this.#delayOf(id, options);
    if (delay > 0) this.#counters.retried++;
    let entry = this.#entries.get(id);
    if (entry?.place === READY) {
      this.#merge(entry, key, priority);
      return true;
    }
    const now = this.#clock.monotonic();
    if (this.#delays.isDue(now)) {
      this.#promote(now);
      entry = this.#entries.get(id);
    }
    const at = now + delay;
    if (entry === undefined) {
      this.#counters.added++;
      entry = new Entry(id, key, priority, at);
      this.#entries.set(id, entry);
      this.#queue(entry, now);
    } else this.#addKnown(entry, key, priority, at, now);
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
    const { priority, rateLimited } = options;
    return this.add(key, { after: delay, priority, rateLimited });
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
    const { priority, after } = options;
    return this.add(key, { after, priority, rateLimited: true });
  }

  /** Tells the rate limiter that a key has succeeded. Whether the key is queued does not change. */
  forget(key: K): void {
    this.#limiter.forget(this.#idOf(key));
  }

  /** How many failures of a key the rate limiter has counted. */
  failures(key: K): number {
    return this.#limiter.failures(this.#idOf(key));
  }

  /**
   * Puts off a key: it is not handed out before `delay` has passed, whether it waits already, is added
   * meanwhile, or is in hand now and added again. A longer deferral in force stays. It holds however
   * long it is, and by itself queues nothing.
   *
   * @param key What must wait.
   * @param delay From now.
   * @returns `false` when the queue has begun to stop.
   */
  defer(key: K, delay: Duration): boolean {
    const id = this.#idOf(key);
    const duration = toMilliseconds(delay, "delay");
    if (this.#stopping !== undefined || this.#ended) return false;
    const now = this.#clock.monotonic();
    const notBefore = now + duration;
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      entry = new Entry(id, key, 0, notBefore);
      entry.notBefore = notBefore;
      this.#entries.set(id, entry);
      this.#cool(entry, now);
    } else if (notBefore > entry.notBefore) {
      entry.notBefore = notBefore;
      if (entry.place === COOLING) {
        this.#delays.remove(entry);
        this.#cool(entry, now);
      } else if (entry.place === READY || entry.place === DELAYED) {
        this.#unqueue(entry);
        this.#queue(entry, now);
      }
    }
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
    if (signal?.aborted) return Promise.reject(signal.reason);
    const item = this.tryTake();
    if (item !== undefined) return Promise.resolve(item);
    return this.#ended || this.#isFinishing()
      ? Promise.reject(this.#reason)
      : this.#waiters.wait(signal);
  }

  /** Takes a key if one is ready, and nobody may wait before. */
  tryTake(): WorkItem<K> | undefined {
    if (this.#paused || this.#ended || this.#isFinishing()) return undefined;
    const now = this.#clock.monotonic();
    if (this.#delays.isDue(now)) this.#promote(now);
    const entry = this.#ready.shift();
    return entry === undefined ? undefined : this.#handOut(entry, now);
  }

  /** Hands out nothing until `resume()`. Adds and delays go on. */
  pause(): void {
    if (this.#stopping === undefined) this.#paused = true;
  }

  /** Hands out again. */
  resume(): void {
    this.#paused = false;
    this.#deliver();
  }

  /**
   * Stops the queue. Adds are refused from now on. Further calls join this stop: of all modes the
   * strictest counts (`"now"` before `"finish"` before `"drain"`), of all deadlines the earliest. At
   * its end everybody who waits in `take()` is released in the same turn. A drain resumes a paused
   * queue.
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
      ? this.#gracePeriod
      : toMilliseconds(options.deadline, "deadline", { allowInfinity: true });
    if (this.#ended) return this.#left.promise;
    if (this.#stopping === undefined) {
      this.#reason = options.reason ??
        new ClosedError(`take from ${this.name}`, "the queue was stopped");
      this.#stopping = new Stopping(this.#clock, () => this.#late());
      this.#delays.stop();
      this.#paused = false;
    }
    this.#stopping.tighten(mode, deadline);
    if (this.#isFinishing()) this.#waiters.reject(this.#reason);
    else this.#deliver();
    this.#endIfDone();
    return this.#left.promise;
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

  /** How the queue is now. It takes time in proportion to the keys. */
  snapshot(): WorkQueueSnapshot<K> {
    return {
      name: this.name,
      paused: this.#paused,
      stopping: this.#ended ? "now" : this.#stopping?.mode,
      waiting: this.#waiters.size,
      ...placesOf(this.#entries.values(), this.#clock),
      counters: { ...this.#counters },
    };
  }

  /** Adds a key that the queue knows, and that is not ready. */
  #addKnown(entry: Entry<K>, key: K, priority: number, at: number, now: number): void {
    if (entry.place === DELAYED || entry.place === AGAIN) {
      this.#merge(entry, key, priority);
      if (at >= entry.at) return;
      entry.at = at;
      if (entry.place === AGAIN) return;
      entry.at = entry.notBefore > at ? entry.notBefore : at;
      this.#unqueue(entry);
      this.#queue(entry, now);
      return;
    }
    this.#counters.added++;
    entry.key = key;
    entry.priority = priority;
    const isCooling = entry.place === COOLING;
    if (isCooling) this.#delays.remove(entry);
    entry.at = at;
    if (isCooling) this.#queue(entry, now);
    else entry.place = AGAIN;
  }

  /** Adds a key that waits already: never a lower priority, and never a later place in line for it. */
  #merge(entry: Entry<K>, key: K, priority: number): void {
    this.#counters.deduplicated++;
    entry.key = key;
    if (priority <= entry.priority) return;
    const isReady = entry.place === READY;
    if (isReady) this.#ready.remove(entry);
    entry.priority = priority;
    // Behind its new equals.
    if (isReady) this.#ready.push(entry);
  }

  /** Puts a key where its time says. */
  #queue(entry: Entry<K>, now: number): void {
    if (entry.notBefore > entry.at) entry.at = entry.notBefore;
    if (entry.at > now) {
      entry.place = DELAYED;
      this.#delayed++;
      this.#delays.push(entry, now);
    } else {
      entry.place = READY;
      this.#ready.push(entry);
      this.#deliver();
    }
  }

  /** Takes back what `#queue` did. */
  #unqueue(entry: Entry<K>): void {
    if (entry.place === READY) return this.#ready.remove(entry);
    this.#delayed--;
    this.#delays.remove(entry);
  }

  /** Remembers of a key only that it must not come too soon. */
  #cool(entry: Entry<K>, now: number): void {
    entry.place = COOLING;
    entry.at = entry.notBefore;
    this.#delays.push(entry, now);
  }

  /** Moves on what has become due. */
  #promote(now: number): void {
    for (let entry; (entry = this.#delays.shift(now)) !== undefined;) {
      if (entry.place === COOLING) this.#entries.delete(entry.id);
      else {
        this.#delayed--;
        entry.place = READY;
        this.#ready.push(entry);
      }
    }
    this.#delays.arm(now);
    this.#deliver();
  }

  /** Gives what is ready to those that wait. */
  #deliver(): void {
    while (this.#waiters.size > 0 && this.#ready.size > 0 && !this.#paused) {
      if (this.#ended || this.#isFinishing()) return;
      this.#waiters.resolve(this.#handOut(this.#ready.shift()!, this.#clock.monotonic()));
    }
  }

  #handOut(entry: Entry<K>, now: number): WorkItem<K> {
    const since = now - this.#clock.monotonic() + this.#clock.now();
    const hand = new Hand(entry, since, now - entry.at, this.#release);
    entry.place = IN_HAND;
    entry.holder = hand;
    if (this.#minInterval > 0) {
      entry.notBefore = Math.max(entry.notBefore, now + this.#minInterval);
    }
    this.#inHand++;
    this.#counters.taken++;
    return hand;
  }

  readonly #release = (entry: Entry<K>): void => {
    entry.holder = undefined;
    this.#inHand--;
    this.#counters.done++;
    if (this.#ended) return;
    if (entry.place === AGAIN) this.#queue(entry, this.#clock.monotonic());
    else if (entry.notBefore === 0) this.#entries.delete(entry.id);
    else this.#releaseCooling(entry);
    this.#endIfDone();
  };

  #releaseCooling(entry: Entry<K>): void {
    const now = this.#clock.monotonic();
    if (entry.notBefore > now) this.#cool(entry, now);
    else this.#entries.delete(entry.id);
  }

  #isFinishing(): boolean {
    return this.#stopping !== undefined && this.#stopping.mode !== "drain";
  }

  #endIfDone(): void {
    const mode = this.#stopping?.mode;
    if (mode === undefined || this.#ended) return;
    const isDone = this.#inHand === 0 && (mode === "finish" || this.#ready.size === 0);
    if (isDone || mode === "now") this.#end(mode, this.#reason);
  }

  #late(): void {
    const { mode, deadline } = this.#stopping!;
    this.#end(mode, this.#reason, deadline);
  }

  /** The end of all modes, and of the owner's abort. */
  #end(mode: StopMode, reason: unknown, missed?: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reason = reason;
    const left = leftOf(this.#entries.values(), mode, this.#clock.monotonic());
    this.#stopping?.[Symbol.dispose]();
    this.#delays.stop();
    this.#delays.clear();
    this.#entries.clear();
    this.#waiters.reject(reason);
    if (missed === undefined) this.#left.resolve(left);
    else this.#left.reject(new WorkLeftError(this.name, missed, left, (key) => this.#show(key)));
    this.#owner.stop({ reason });
  }

  #idOf(key: K): string {
    const id = this.#keyOf === undefined ? key : this.#keyOf(key);
    if (typeof id === "string") return id;
    throw new TypeError(
      this.#keyOf === undefined
        ? `Cannot use a key of ${this.name}: expected a string, or the option keyOf: received ${
          show(key)
        }`
        : `Cannot use a key of ${this.name}: expected a string from keyOf: received ${show(id)}`,
    );
  }

  #priorityOf({ priority = 0 }: AddOptions): number {
    if (Number.isFinite(priority)) return priority;
    throw new RangeError(
      `Cannot add to ${this.name}: expected a finite priority: received ${show(priority)}`,
    );
  }

  /** How long an add waits. A failure counts also if the key waits already. */
  #delayOf(id: string, { after, rateLimited = false }: AddOptions): number {
    const isNow = after === undefined || (typeof after === "number" && after <= 0);
    const delay = isNow ? 0 : toMilliseconds(after, "after");
    if (!rateLimited) return delay;
    const limited = this.#minInterval + this.#limiter.delay(id);
    return after === undefined ? limited : Math.min(delay, limited);
  }

  #show(key: unknown): string {
    return this.#keyOf === undefined ? String(key) : this.#keyOf(key as K);
  }
}
