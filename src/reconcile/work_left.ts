/**
 * How a queue stops. `"drain"`: what is queued is still handed out, what is delayed is not.
 * `"finish"`: nothing is handed out any more, and what is in hand is waited for. `"now"`: nothing is
 * waited for.
 */
export type StopMode = "drain" | "finish" | "now";

/** What a queue had not done when it stopped. */
export interface WorkLeft<K> {
  /** How it stopped in the end. */
  readonly mode: StopMode;
  /** Keys that were ready. */
  readonly queued: readonly K[];
  /** Keys that waited for their time. */
  readonly delayed: readonly K[];
  /**
   * Keys that somebody had. One that was added again meanwhile stands in `queued` or `delayed`, too.
   */
  readonly inHand: readonly K[];
}

/** Rejects `stop()` and `close()` of a queue that was not done by the deadline. */
export class WorkLeftError extends Error {
  /** Tells it from other errors, also after it crossed a thread. */
  override readonly name = "WorkLeftError";
  /** What was left. */
  readonly left: WorkLeft<unknown>;

  /**
   * Makes the error.
   *
   * @param queue The name of the queue.
   * @param deadline The time that it had, in milliseconds.
   * @param left What was left.
   * @param show How a key is shown.
   */
  constructor(
    queue: string,
    deadline: number,
    left: WorkLeft<unknown>,
    show: (key: unknown) => string = String,
  ) {
    const parts = [["in hand", left.inHand], ["queued", left.queued]] as const;
    super(
      `Cannot ${left.mode} ${queue} within ${deadline} ms: there was work left: received ` +
        parts.filter(([, keys]) => keys.length > 0)
          .map(([place, keys]) => `${keys.length} ${place} (${list(keys, show)})`).join(", "),
    );
    this.left = left;
  }
}

/** A message names a few: there may be a million. */
function list(keys: readonly unknown[], show: (key: unknown) => string): string {
  const shown = keys.slice(0, 10).map(show).join(", ");
  return keys.length > 10 ? `${shown}, …` : shown;
}
