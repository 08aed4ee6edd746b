import { createBackoff } from "../base/backoff.ts";
import { systemClock } from "../base/clock.ts";
import { toMilliseconds } from "../base/duration.ts";
import { guardSink } from "../base/events.ts";
import { report } from "../base/report.ts";
import { StateLoop, type StateSettings } from "./_state_loop.ts";
import type { StateEvent } from "./state_events.ts";
import type { ReconcileStateOptions } from "./state_options.ts";
import type { StateReconciler } from "./state_reconciler.ts";

/** As the kubelet has it: odd, so that it is recognised in logs. */
const TIMEOUT = 123_000;
const LONGEST_BACKOFF = 122_000;

/**
 * Makes what there is into what there should be, key by key, and keeps it so.
 *
 * First it finds out what there is already: a program that was restarted takes over what it left behind.
 * Then it passes over all keys again and again: it removes what is not desired, then applies what is
 * not as desired. A pass only begins operations, one for each key at a time; each may be done, may fail,
 * or may break off, and then is uncertain until it was done again or undone. Nothing is removed before
 * everything that is desired is known. A world that changes by itself is looked at again with
 * `refresh`, the option or the method.
 *
 * @param options What is desired, what there is, and how to make the one the other.
 * @returns A reconciler. `run(signal)` can be called again when it has ended, not before.
 * @throws {TypeError | RangeError} When an option is wrong.
 *
 * @example
 * ```ts
 * import { reconcileState } from "@leash/leash/reconcile";
 *
 * const desired = new Map([["a", 1], ["b", 2]]);
 * const actual = new Map([["b", 7], ["c", 3]]);
 * const owner = new AbortController();
 * const reconciler = reconcileState<number, number>({
 *   desired: () => desired,
 *   actual: () => [...actual],
 *   matches: (wanted, there) => wanted === there,
 *   apply: (key, wanted) => {
 *     actual.set(key, wanted);
 *     return wanted;
 *   },
 *   remove: (key) => void actual.delete(key),
 *   // Nothing is left to do.
 *   onEvent: (event) => {
 *     if (event.type === "state-pass" && event.started + event.pending === 0) owner.abort();
 *   },
 * });
 * await reconciler.run(owner.signal);
 * console.log(actual); // a: 1, b: 2
 * ```
 */
export function reconcileState<Desired, Actual>(
  options: ReconcileStateOptions<Desired, Actual>,
): StateReconciler {
  const { name = "state", clock = systemClock, concurrency = Infinity } = options;
  for (const option of ["desired", "actual", "matches", "apply", "remove"] as const) {
    if (typeof options[option] === "function") continue;
    throw new TypeError(
      `Cannot reconcile "${name}": expected a function as ${option}: received ` +
        Deno.inspect(options[option]),
    );
  }
  if (!(concurrency === Infinity || (Number.isInteger(concurrency) && concurrency > 0))) {
    throw new RangeError(
      `Cannot reconcile "${name}": expected a whole number of at least 1 as concurrency: received ` +
        Deno.inspect(concurrency),
    );
  }
  const sink = guardSink(options.onEvent ?? logProblems);
  const settings: StateSettings = {
    clock,
    concurrency,
    pause: toMilliseconds(options.pause ?? 100, "pause"),
    refresh: options.refresh === undefined ? Infinity : toMilliseconds(options.refresh, "refresh"),
    absentFor: toMilliseconds(options.absentFor ?? 0, "absentFor"),
    timeout: toMilliseconds(options.timeout ?? TIMEOUT, "timeout", { minimum: 1 }),
    backoff: createBackoff({
      initial: 500,
      max: LONGEST_BACKOFF,
      jitter: "none",
      ...options.backoff,
    }),
    emit: (event) => sink({ at: clock.now(), reconciler: name, ...event } as StateEvent),
  };
  let running: StateLoop<Desired, Actual> | undefined;
  return {
    refresh: () => running?.refresh(),
    async run(signal: AbortSignal): Promise<void> {
      if (!(signal instanceof AbortSignal)) {
        throw new TypeError(
          `Cannot run "${name}": expected an AbortSignal: received ${Deno.inspect(signal)}`,
        );
      }
      if (running !== undefined) {
        throw new Error(`Cannot run "${name}": it is running: received a second run()`);
      }
      running = new StateLoop(options, settings, signal);
      try {
        await running.run();
      } finally {
        running = undefined;
      }
    },
  };
}

function logProblems(event: StateEvent): void {
  if (event.type === "state-desired-failed") {
    report(`${event.reconciler} cannot read what is desired`, event.error);
  } else if (event.type === "state-refresh-failed") {
    report(`${event.reconciler} cannot find out what there is`, event.error);
  } else if (event.type === "state-overdue") {
    const { reconciler, call, key } = event;
    report(
      `${reconciler}: ${call}${key === undefined ? "" : ` of ${key}`} took more than its timeout`,
    );
  } else if (event.type === "state-operation-ended" && event.retryIn !== undefined) {
    const { reconciler, operation, key, outcome, error, retryIn } = event;
    report(`${reconciler}: to ${operation} ${key} ${outcome}, again in ${retryIn} ms`, error);
  }
}
