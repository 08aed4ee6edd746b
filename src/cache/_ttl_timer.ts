import { type Clock, systemClock } from "../base/clock.ts";

/** `setTimeout` fires at once when its delay does not fit 31 bits. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * A timer that does not keep the process alive: a cache is no reason to go on, and a sweep that does
 * not happen because the process has ended is not missed.
 */
export function setIdleTimer(clock: Clock, callback: () => void, delay: number): Disposable {
  if (clock !== systemClock) return clock.setTimer(callback, delay);
  let remaining = delay;
  let id: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    const step = Math.min(remaining, LONGEST_TIMEOUT);
    remaining -= step;
    id = setTimeout(remaining > 0 ? arm : callback, step);
    Deno.unrefTimer(id);
  };
  arm();
  return { [Symbol.dispose]: () => clearTimeout(id) };
}
