/**
 * Stand-in for `@std/testing/time` on machines that do not reach JSR. It fakes what the real one
 * fakes: `Date`, the four timer functions and `AbortSignal.timeout`; `performance.now` stays real.
 *
 * @module
 */

import type { DelayOptions } from "../async/delay.ts";
import { FakeTimers } from "./fake_timers.ts";

export type { DelayOptions };

/** Time was faked twice, or restored twice. */
export class TimeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TimeError";
  }
}

/** Options of {@linkcode FakeTime}. */
export interface FakeTimeOptions {
  /** How fast the fake clock runs by itself, as a multiple of real time (default 0: not at all). */
  advanceRate: number;
  /** How often it is moved then, in milliseconds of real time (default 10). */
  advanceFrequency?: number;
}

const real = {
  Date,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  abortAfter: AbortSignal.timeout,
};

/** Only one clock can be faked in a process. */
let current: FakeTime | undefined;
let timers = new FakeTimers(0);

/** A clock that moves only when the test says so. */
export class FakeTime {
  readonly #start: number;
  readonly #ticker: ReturnType<typeof setInterval> | undefined;

  constructor(start?: number | string | Date | null, options?: FakeTimeOptions) {
    if (current) throw new TimeError("Cannot fake the time: it is faked already");
    const given = typeof start === "number" ? Math.floor(start) : start ?? real.Date.now();
    this.#start = new real.Date(given).valueOf();
    if (Number.isNaN(this.#start)) {
      throw new TypeError(`Cannot fake the time: expected a date: received ${start}`);
    }
    timers = new FakeTimers(this.#start);
    current = this;
    install();
    const { advanceRate = 0, advanceFrequency = 10 } = options ?? {};
    if (advanceRate > 0) {
      this.#ticker = real.setInterval(
        () => this.tick(advanceRate * advanceFrequency),
        advanceFrequency,
      );
    }
  }

  /** Restores the clock of the process, whoever faked it. */
  static restore(): void {
    if (!current) throw new TimeError("Cannot restore the time: it is not faked");
    current.restore();
  }

  /** Calls a function with the real clock in place until it has settled. */
  static async restoreFor<T>(
    // deno-lint-ignore no-explicit-any -- as in the original: the arguments are passed through
    callback: (...args: any[]) => Promise<T> | T,
    // deno-lint-ignore no-explicit-any
    ...args: any[]
  ): Promise<T> {
    if (!current) throw new TimeError("Cannot restore the time: it is not faked");
    uninstall();
    try {
      const result = callback(...args);
      // Without a promise the fake clock must be back before anything else runs.
      return result instanceof Promise ? await result : result;
    } finally {
      install();
    }
  }

  /** The fake time. Setting it fires the timers that are due until then. */
  get now(): number {
    return timers.now;
  }
  set now(value: number) {
    if (value < timers.now) {
      throw new RangeError(`Cannot turn back the time: it is ${timers.now}: received ${value}`);
    }
    timers.advanceTo(value);
  }

  /** The time at which the fake clock began. */
  get start(): number {
    return this.#start;
  }

  /** Moves the clock on. */
  tick(ms = 0): void {
    this.now += ms;
  }

  /** Lets promises settle, then moves the clock on. */
  async tickAsync(ms = 0): Promise<void> {
    await this.runMicrotasks();
    this.now += ms;
  }

  /** Moves the clock to the next timer; returns `false` when there is none. */
  next(): boolean {
    const timer = timers.next();
    if (timer) this.now = Math.max(timer.due, timers.now);
    return timer !== undefined;
  }

  /** Lets promises settle, then moves the clock to the next timer. */
  async nextAsync(): Promise<boolean> {
    await this.runMicrotasks();
    return this.next();
  }

  /** Moves the clock on until no timer is left. */
  runAll(): void {
    while (this.next());
  }

  /** The same, with promises settled before each timer. */
  async runAllAsync(): Promise<void> {
    while (timers.next()) await this.nextAsync();
  }

  /** Lets promises settle. */
  async runMicrotasks(): Promise<void> {
    await this.delay(0);
  }

  /** Waits in real time; the fake clock stands still. */
  delay(ms: number, options: DelayOptions = {}): Promise<void> {
    const { signal } = options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = real.setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    const abort = () => {
      real.clearTimeout(timer);
      reject(new DOMException("Delay was aborted.", "AbortError"));
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    return promise;
  }

  /** Puts the real clock back. Timers that have not fired never will. */
  restore(): void {
    if (current !== this) throw new TimeError("Cannot restore the time: it is restored already");
    current = undefined;
    uninstall();
    if (this.#ticker !== undefined) clearInterval(this.#ticker);
  }

  [Symbol.dispose](): void {
    this.restore();
  }
}

// A proxy: `instanceof Date`, `Date.UTC` and the like go on as before.
const FakeDate = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [timers.now] : args, newTarget),
  apply: () => new real.Date(timers.now).toString(),
  get: (target, key, receiver) =>
    key === "now" ? () => timers.now : Reflect.get(target, key, receiver),
});

// Made once: code that keeps a fake function sees the same one after `restoreFor`.
const fake = {
  setTimeout: timerFunction(false) as unknown as typeof setTimeout,
  setInterval: timerFunction(true) as unknown as typeof setInterval,
  clear(id?: unknown): void {
    assertFaked();
    timers.remove(id);
  },
  abortAfter(ms: number): AbortSignal {
    assertFaked();
    const controller = new AbortController();
    const reason = new DOMException("Signal timed out.", "TimeoutError");
    timers.add(() => controller.abort(reason), ms, false);
    return controller.signal;
  },
};

function timerFunction(repeat: boolean) {
  return (callback: unknown, ms = 0, ...args: unknown[]): number => {
    assertFaked();
    if (typeof callback !== "function") {
      throw new TimeError("Cannot fake a timer: expected a function as its callback");
    }
    return timers.add(() => callback(...args), ms, repeat);
  };
}

/** Code that kept a fake function beyond the end of the fake clock has a leak: say so. */
function assertFaked(): void {
  if (!current) throw new TimeError("Cannot use this timer function: the time is not faked");
}

function install(): void {
  globalThis.Date = FakeDate;
  globalThis.setTimeout = fake.setTimeout;
  globalThis.setInterval = fake.setInterval;
  globalThis.clearTimeout = fake.clear;
  globalThis.clearInterval = fake.clear;
  AbortSignal.timeout = fake.abortAfter;
}

function uninstall(): void {
  globalThis.Date = real.Date;
  globalThis.setTimeout = real.setTimeout;
  globalThis.setInterval = real.setInterval;
  globalThis.clearTimeout = real.clearTimeout;
  globalThis.clearInterval = real.clearInterval;
  AbortSignal.timeout = real.abortAfter;
}
