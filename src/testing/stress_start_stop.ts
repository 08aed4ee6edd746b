import { systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { findLeaks } from "./_leak_check.ts";
import { recordThings } from "./_recorder.ts";
import { activeScope, at, currentPlace, Scope } from "./_scope.ts";
import { watchPlatform } from "./_watch_platform.ts";
import { LeakError } from "./leak_error.ts";

/** Anything that can be stopped: all long-lived objects of Leash are. */
export interface StressedService extends Partial<AsyncDisposable> {
  /** Begins, where that is not done by the constructor. */
  start?(): unknown;
  /** Stops, and resolves when it has stopped. Any number of calls, at any time. */
  close(): Promise<unknown>;
  /** Settles when it has stopped. */
  readonly finished?: Promise<unknown>;
}

/** How hard to hammer. */
export interface StressOptions {
  /** How many services, one after the other. Default: 20. */
  rounds?: number;
  /** How many call each service at once. Default: 3. */
  callers?: number;
  /** How many calls each of them makes. Default: 4. */
  calls?: number;
  /** Makes the same calls again, as the message of an earlier failure says. Default: random. */
  seed?: number;
  /** How long a service may take to stop, in real time. Default: 10 seconds. */
  timeout?: Duration;
  /** Return `true` for errors that calls may reject with, beside the reason of the abort. */
  allow?: (error: unknown) => boolean;
}

const ACTIONS = ["start", "close", "dispose", "abort", "turn", "microtask"] as const;

/**
 * Starts and stops services in any order: twice, before they have started, several at once, by call,
 * by disposal and by the abort of their signal. Each has to stop, and to leave nothing behind.
 *
 * @param make Makes a service that belongs to the signal.
 * @param options How hard.
 * @throws {Error} When a call fails or does not come back; the message has the calls, and the seed that
 * brings them again.
 * @throws {LeakError} When a service leaves something behind.
 *
 * @example
 * ```ts
 * import { Scheduler } from "@leash/leash";
 * import { stressStartStop } from "@leash/leash/testing";
 *
 * await stressStartStop((signal) => new Scheduler({ signal }), { rounds: 5 });
 * ```
 */
export async function stressStartStop(
  make: (signal: AbortSignal) => StressedService | Promise<StressedService>,
  options: StressOptions = {},
): Promise<void> {
  const { rounds = 20, seed = Math.floor(Math.random() * 2 ** 32) } = options;
  const random = mulberry32(seed);
  for (let round = 1; round <= rounds; round++) {
    const where = `round ${round} of seed ${seed}`;
    const scope = new Scope(activeScope());
    using _recording = recordThings();
    using _watching = watchPlatform();
    await at(
      { scope, step: currentPlace().step, holder: undefined },
      () => stress(make, options, random, where),
    );
    const leaks = await findLeaks(scope.items, 250);
    scope.ended = true;
    if (leaks.length > 0) throw new LeakError(where, leaks);
  }
}

async function stress(
  make: (signal: AbortSignal) => StressedService | Promise<StressedService>,
  { callers = 3, calls = 4, timeout = 10_000, allow = () => false }: StressOptions,
  random: () => number,
  where: string,
): Promise<void> {
  const limit = toMilliseconds(timeout, "timeout");
  const owner = new AbortController();
  const service = await make(owner.signal);
  const log: string[] = [];
  const fail = (what: string, cause?: unknown): Error =>
    new Error(`Cannot start and stop in any order: ${what} in ${where}: ${log.join(", ")}`, {
      cause,
    });
  const call = async (action: typeof ACTIONS[number]): Promise<void> => {
    if (!can(service, action)) return;
    log.push(action);
    try {
      await act(service, action, owner);
    } catch (error) {
      if (error !== owner.signal.reason && !allow(error)) throw fail(`${action} failed`, error);
    }
  };
  const caller = async (): Promise<void> => {
    const pending: Promise<void>[] = [];
    for (let index = 0; index < calls; index++) {
      const action = ACTIONS[Math.floor(random() * ACTIONS.length)]!;
      const done = call(action);
      pending.push(done);
      // Some go on while their call is still under way.
      if (random() < 0.5) await done;
    }
    await Promise.all(pending);
  };
  const all = async (): Promise<void> => {
    await Promise.all(Array.from({ length: callers }, caller));
    await call("abort");
    await call("close");
    log.push("finished");
    await service.finished?.catch((error) => {
      if (error !== owner.signal.reason && !allow(error)) throw fail("finished rejects", error);
    });
  };
  const late = Promise.withResolvers<never>();
  using _timer = systemClock.setTimer(
    () => late.reject(fail(`it has not stopped within ${limit} ms`)),
    limit,
  );
  await Promise.race([all(), late.promise]);
}

function can(service: StressedService, action: typeof ACTIONS[number]): boolean {
  if (action === "start") return service.start !== undefined;
  return action !== "dispose" || service[Symbol.asyncDispose] !== undefined;
}

async function act(
  service: StressedService,
  action: typeof ACTIONS[number],
  owner: AbortController,
): Promise<void> {
  switch (action) {
    case "start":
      return void await service.start!();
    case "close":
      return void await service.close();
    case "dispose":
      return await service[Symbol.asyncDispose]!();
    case "abort":
      return owner.abort(new DOMException("The stress test aborts", "AbortError"));
    case "turn":
      return await new Promise((resolve) => setTimeout(resolve, 0));
    case "microtask":
      return await Promise.resolve();
  }
}

/** Small, and the same on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
