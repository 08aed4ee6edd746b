import { toMilliseconds } from "../base/duration.ts";
import { show } from "../base/show.ts";
import type { RunSettlement } from "../pool/run.ts";
import type { WrappedModule } from "./_wrapped_module.ts";
import type { ReconcileOutcome } from "./controller_events.ts";
import { isTerminal } from "./terminal_error.ts";

/** What the end of a run asks for. */
export interface Wish {
  readonly outcome: ReconcileOutcome;
  readonly error?: unknown;
  /** When to run again; `undefined`: not by itself. */
  readonly again?: { readonly after?: number; readonly rateLimited?: true };
  readonly priority?: number | undefined;
}

/**
 * Reads the end of a run: what became of it, and what is to become of its key.
 *
 * @param key The key.
 * @param settlement How the pool ended the run.
 * @param pollDelay Counts one poll of the key, and says how long it waits, in milliseconds.
 * @param module What the run was of.
 */
export function wishOf(
  key: string,
  settlement: RunSettlement,
  pollDelay: (key: string) => number,
  module: WrappedModule,
): Wish {
  const again = { rateLimited: true } as const;
  switch (settlement.kind) {
    case "completed":
      return readResult(key, settlement.value, pollDelay);
    case "crashed":
      return { outcome: "crashed", error: settlement.error, again };
    case "failed":
      if (isTerminal(settlement.error)) return { outcome: "terminal", error: settlement.error };
      return { outcome: "failed", error: module.rename(settlement.error), again };
    case "aborted": {
      const { cause, reason: error } = settlement;
      if (cause === "timeout") return { outcome: "timed-out", error, again };
      return { outcome: cause === "signal" ? "cancelled" : "aborted", error };
    }
  }
}

/** A result that cannot be understood is a failure: it must not be dropped in silence. */
function readResult(key: string, value: unknown, pollDelay: (key: string) => number): Wish {
  if (value === undefined || value === null || isEmpty(value)) return { outcome: "succeeded" };
  try {
    const { requeueAfter, pollBackoff, priority } = checkResult(key, value);
    if (pollBackoff) return { outcome: "poll-backoff", again: { after: pollDelay(key) }, priority };
    const after = toMilliseconds(requeueAfter!, "requeueAfter");
    return after > 0
      ? { outcome: "requeue-after", again: { after }, priority }
      : { outcome: "succeeded" };
  } catch (error) {
    return { outcome: "failed", error, again: { rateLimited: true } };
  }
}

/** Whoever comes from Kubernetes returns an empty result. */
function isEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  // An Error, a Map or a Date has no fields either, and means something else.
  return Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).every((field) => field === undefined);
}

interface CheckedResult {
  readonly requeueAfter?: number;
  readonly pollBackoff?: boolean;
  readonly priority?: number;
}

function checkResult(key: string, value: unknown): CheckedResult {
  const isObject = typeof value === "object" && value !== null;
  const result = (isObject ? value : {}) as CheckedResult;
  const { requeueAfter, pollBackoff, priority } = result;
  const isOne = (requeueAfter !== undefined) !== (pollBackoff === true);
  if (isOne && (priority === undefined || Number.isFinite(priority))) return result;
  throw new TypeError(
    `Cannot use the result of ${key}: expected nothing, {}, { requeueAfter } or { pollBackoff: true }, ` +
      `with a finite priority or none: received ${show(value)}`,
  );
}
