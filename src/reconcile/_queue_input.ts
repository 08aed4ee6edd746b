import { toMilliseconds } from "../base/duration.ts";
import { show } from "../base/show.ts";
import { checkLimiter } from "./_check_limiter.ts";
import { exponentialLimiter } from "./exponential_limiter.ts";
import type { RateLimiter } from "./rate_limiter.ts";
import type { AddOptions, WorkQueueOptions } from "./work_queue_options.ts";

/** Makes of what a queue is given what it reckons with, or says what is wrong with it. */
export class QueueInput<K> {
  /** What stands in messages. */
  readonly name: string;
  readonly limiter: RateLimiter;
  /** In milliseconds, as all that follow. */
  readonly minInterval: number;
  readonly ageing: number;
  readonly gracePeriod: number;
  readonly #keyOf: ((key: K) => string) | undefined;

  constructor(options: WorkQueueOptions<K>) {
    if (!(options?.signal instanceof AbortSignal)) {
      throw new TypeError(
        "Cannot make a WorkQueue: expected an AbortSignal as signal, as shutdownSignal() gives: " +
          `received ${show(options?.signal)}`,
      );
    }
    checkLimiter(options.rateLimiter, "make a WorkQueue");
    if (options.keyOf !== undefined && typeof options.keyOf !== "function") {
      throw new TypeError(
        `Cannot make a WorkQueue: expected a function as keyOf: received ${show(options.keyOf)}`,
      );
    }
    const { minInterval = 0, ageing = 1_000, gracePeriod = 30_000 } = options;
    this.name = options.name ?? "work queue";
    this.limiter = options.rateLimiter ?? exponentialLimiter();
    this.minInterval = toMilliseconds(minInterval, "minInterval");
    this.ageing = toMilliseconds(ageing, "ageing", { allowInfinity: true });
    this.gracePeriod = toMilliseconds(gracePeriod, "gracePeriod", { allowInfinity: true });
    this.#keyOf = options.keyOf;
  }

  /** The string that a key is known by. */
  idOf(key: K): string {
    const id = this.#keyOf === undefined ? key : this.#keyOf(key);
    if (typeof id === "string") return id;
    const [expected, received] = this.#keyOf === undefined
      ? ["a string, or the option keyOf", key]
      : ["a string from keyOf", id];
    throw new TypeError(
      `Cannot use a key of ${this.name}: expected ${expected}: received ${show(received)}`,
    );
  }

  /** The priority of an add. */
  priorityOf({ priority = 0 }: AddOptions): number {
    if (Number.isFinite(priority)) return priority;
    throw new RangeError(
      `Cannot add to ${this.name}: expected a finite priority: received ${show(priority)}`,
    );
  }

  /** How long an add waits, in milliseconds. A failure counts also if the key waits already. */
  delayOf(id: string, { after, rateLimited = false }: AddOptions): number {
    const isNow = after === undefined || (typeof after === "number" && after <= 0);
    const delay = isNow ? 0 : toMilliseconds(after, "after");
    if (!rateLimited) return delay;
    const limited = this.#limitOf(id);
    return after === undefined ? limited : Math.min(delay, limited);
  }

  /** A key for a message. */
  show(key: unknown): string {
    try {
      return this.idOf(key as K);
    } catch {
      // The key has changed since it was added.
      return show(key);
    }
  }

  #limitOf(id: string): number {
    const limit = this.limiter.delay(id);
    if (!(limit >= 0)) {
      throw new RangeError(
        `Cannot add to ${this.name}: expected milliseconds of at least 0 from the rate limiter: ` +
          `received ${show(limit)}`,
      );
    }
    const { max = Infinity } = this.limiter;
    return this.minInterval + Math.min(limit, Math.max(0, max - this.minInterval));
  }
}
