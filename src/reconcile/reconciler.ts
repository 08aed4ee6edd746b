/**
 * Whatever makes the world as it should be, for as long as its signal lets it. There is nothing else
 * to it, so nothing of it can be started without an owner.
 */
export interface Reconciler {
  /**
   * Reconciles until the signal aborts.
   *
   * @param signal The owner.
   * @returns Resolves when everything that it began has ended. It rejects only when it cannot go on.
   */
  run(signal: AbortSignal): Promise<void>;
}
