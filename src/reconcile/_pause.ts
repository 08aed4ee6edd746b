import type { Clock } from "../base/clock.ts";
import { onAbort } from "../base/on_abort.ts";

/**
 * Waits. It never rejects: whoever waits looks at the signal anyway.
 *
 * @param clock Whose time.
 * @param delay Milliseconds.
 * @param signal Its abort ends the wait.
 */
export async function pause(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.setTimer(resolve, delay);
  using _listening = onAbort(signal, () => resolve());
  await promise;
}
