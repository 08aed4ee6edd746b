import { type Duration, toMilliseconds } from "../base/duration.ts";
import { onAnyEvent } from "../base/events.ts";

/** Never a clock that a test has put in its place. */
const { setTimeout, clearTimeout, performance } = globalThis;

/** How often to look. */
export interface LookOptions {
  /** How long between two looks when nothing is heard, in real time. Default: 20 milliseconds. */
  interval?: Duration;
  /**
   * Calls `wake` whenever there may be something new; dispose of what it returns to end that. Events of
   * Leash wake by themselves.
   */
  on?: (wake: () => void) => Disposable;
}

/** How long {@linkcode eventually} waits. */
export interface EventuallyOptions extends LookOptions {
  /** After that it fails, in real time. Default: 5 seconds. */
  timeout?: Duration;
}

/** How long {@linkcode consistently} looks. */
export interface ConsistentlyOptions extends LookOptions {
  /** For so long it must hold, in real time. Default: 100 milliseconds. */
  duration?: Duration;
}

/**
 * Waits until a check passes: until it neither throws, nor rejects, nor gives `false`. It is called at
 * once, then after each event of any scheduler in this thread, and now and then. Calls never overlap.
 *
 * @param check What is to hold some time.
 * @param options How long to wait, and what else to listen to.
 * @returns What the check gave.
 * @throws {Error} After the timeout; `cause` is what the last check threw.
 *
 * @example
 * ```ts
 * import { eventually } from "@leash/leash/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const seen: string[] = [];
 * queueMicrotask(() => seen.push("done"));
 * await eventually(() => assertEquals(seen, ["done"]));
 * ```
 */
export async function eventually<Value>(
  check: () => Value | Promise<Value>,
  options: EventuallyOptions = {},
): Promise<Value> {
  const timeout = toMilliseconds(options.timeout ?? 5_000, "timeout");
  using looks = new Looks(options);
  while (true) {
    const look = await looks.look(check);
    if ("value" in look) return look.value;
    if (looks.time >= timeout) {
      throw new Error(
        `Cannot see it happen within ${timeout} ms (looked ${looks.count} times): ${look.why}`,
        { cause: look.error },
      );
    }
    await looks.next(timeout - looks.time);
  }
}

/**
 * Sees that a check passes all the time: that it neither throws, nor rejects, nor gives `false`. It is
 * called when {@linkcode eventually} would call it.
 *
 * @param check What is to hold.
 * @param options How long, and what else to listen to.
 * @throws {Error} As soon as the check fails; `cause` is what it threw.
 *
 * @example
 * ```ts
 * import { consistently } from "@leash/leash/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const runs: string[] = [];
 * await consistently(() => assertEquals(runs, []), { duration: 50 });
 * ```
 */
export async function consistently(
  check: () => unknown,
  options: ConsistentlyOptions = {},
): Promise<void> {
  const duration = toMilliseconds(options.duration ?? 100, "duration");
  using looks = new Looks(options);
  while (true) {
    const look = await looks.look(check);
    if (!("value" in look)) {
      throw new Error(
        `Cannot see it hold for ${duration} ms: it failed after ${Math.round(looks.time)} ms, at ` +
          `look ${looks.count}: ${look.why}`,
        { cause: look.error },
      );
    }
    if (looks.time >= duration) return;
    await looks.next(duration - looks.time);
  }
}

type Look<Value> = { readonly value: Value } | { readonly error: unknown; readonly why: string };

/** Looks again when something happened, or after a while. */
class Looks implements Disposable {
  count = 0;
  readonly #started = performance.now();
  readonly #interval: number;
  readonly #listening: Disposable[];
  #woken = false;
  #wake = (): void => {};

  constructor({ interval = 20, on }: LookOptions) {
    this.#interval = toMilliseconds(interval, "interval");
    const wake = (): void => {
      this.#woken = true;
      this.#wake();
    };
    this.#listening = [onAnyEvent(wake)];
    if (on !== undefined) this.#listening.push(on(wake));
  }

  /** Milliseconds since the first look. */
  get time(): number {
    return performance.now() - this.#started;
  }

  async look<Value>(check: () => Value | Promise<Value>): Promise<Look<Value>> {
    this.count++;
    this.#woken = false;
    try {
      const value = await check();
      return value === false ? { error: undefined, why: "it gave false" } : { value };
    } catch (error) {
      return { error, why: error instanceof Error ? error.message : Deno.inspect(error) };
    }
  }

  /** Waits for the next look, at most so long. */
  async next(limit: number): Promise<void> {
    // Something happened during the look: it may have come too early for that.
    if (this.#woken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, Math.min(this.#interval, Math.max(0, limit)));
    await promise;
    clearTimeout(timer);
  }

  [Symbol.dispose](): void {
    for (const one of this.#listening) one[Symbol.dispose]();
  }
}
