import { systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import type { LiveThing } from "../base/live.ts";
import { findLeaks } from "./_leak_check.ts";
import { liveThings, recordThings } from "./_recorder.ts";
import type { Item } from "./_scope.ts";
import { testPath } from "./_test_path.ts";
import { LeakError } from "./leak_error.ts";

/** How a {@linkcode testOwner} ends. */
export interface TestOwnerOptions {
  /** How long everything under it may take to stop, in real time. Default: 5 seconds. */
  deadline?: Duration;
}

/** The life of a test or step. */
export interface TestOwner extends AsyncDisposable {
  /** Aborted at the end of the test or step. Give it as `signal` to whatever is made in it. */
  readonly signal: AbortSignal;
  /**
   * Aborts the signal, and waits until everything of Leash's under it has stopped.
   *
   * @throws {LeakError} When something has not stopped by the deadline.
   * @throws {StuckWorkerError} When a worker could not be stopped; what else the end of a thing under
   * it rejects with, likewise.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * An owner for what a test or a step makes: its signal aborts at the end, with the reason
 * `test "…" is cleaning up`, and then everything of Leash's that stops with it is waited for, also
 * when it was given a signal that follows from this one.
 *
 * Every step calls it anew, so that one that ends stops nothing of those beside it.
 *
 * @param t The context of the test or step.
 * @param options How to end.
 * @returns To be disposed of with `await using`.
 *
 * @example
 * ```ts
 * import { Scheduler } from "@leash/leash";
 * import { leakGuard, testOwner } from "@leash/leash/testing";
 *
 * Deno.test("two schedulers", async (t) => {
 *   await using _guard = leakGuard(t);
 *   await using owner = testOwner(t);
 *   const first = new Scheduler({ signal: owner.signal });
 *   const second = new Scheduler({ signal: owner.signal });
 * });
 * ```
 */
export function testOwner(t: Deno.TestContext, options: TestOwnerOptions = {}): TestOwner {
  const deadline = toMilliseconds(options.deadline ?? 5_000, "deadline");
  const recording = recordThings();
  const controller = new AbortController();
  const where = `test "${testPath(t)}"`;
  let end: Promise<void> | undefined;

  const stop = async (): Promise<void> => {
    controller.abort(new DOMException(`${where} is cleaning up`, "AbortError"));
    try {
      await stopAll(controller.signal.reason, deadline, `${where}, ${deadline} ms after its abort`);
    } finally {
      recording[Symbol.dispose]();
    }
  };
  return {
    signal: controller.signal,
    [Symbol.asyncDispose]: () => end ??= stop(),
  };
}

async function stopAll(reason: unknown, deadline: number, where: string): Promise<void> {
  const timeout = Promise.withResolvers<"late">();
  using _timer = systemClock.setTimer(() => timeout.resolve("late"), deadline);
  const ends = new Set<Promise<unknown>>();
  // Whatever stops may have begun something just before.
  for (let open = under(reason); open.length > 0; open = under(reason)) {
    for (const [{ finished }] of open) if (finished !== undefined) ends.add(finished);
    if (await Promise.race([Promise.allSettled(ends), timeout.promise]) === "late") {
      throw new LeakError(where, await findLeaks(withParts(under(reason)), 250));
    }
  }
  const errors = (await Promise.allSettled(ends))
    .filter((result) => result.status === "rejected")
    .map((result) => result.reason as unknown);
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `Cannot end ${where}: several errors`);
}

/** What belongs to a signal with that very reason: a reason is handed down as it is. */
function under(reason: unknown): [LiveThing, Item][] {
  return [...liveThings()].filter(([{ signal, finished }]) =>
    finished !== undefined && signal?.aborted && signal.reason === reason
  );
}

/** The things with all that they are made of. */
function withParts(things: [LiveThing, Item][]): Set<Item> {
  const items = new Set(things.map(([, item]) => item));
  for (const item of liveThings().values()) {
    for (let { holder } = item.place; holder !== undefined; { holder } = holder.place) {
      if (items.has(holder)) items.add(item);
    }
  }
  return items;
}
