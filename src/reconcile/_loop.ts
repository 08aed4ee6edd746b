import type { Clock } from "../base/clock.ts";
import { show } from "../base/show.ts";
import { pause } from "./_pause.ts";

/** How a loop goes round. */
export interface LoopOptions {
  readonly clock: Clock;
  /** Its abort ends the loop with its reason, but not a step that runs. */
  readonly signal: AbortSignal;
  /** Makes the time from one step to the next, in milliseconds. */
  readonly period: () => number;
  /** Whether the period counts from the end of a step; otherwise from its start. */
  readonly sliding: boolean;
  /** Whether the first step comes at once, also after an abort. */
  readonly immediate: boolean;
}

/** Calls `step` until it gives `true`. Steps never overlap. */
export async function loop(step: () => Promise<boolean>, options: LoopOptions): Promise<void> {
  const { clock, signal, period, sliding, immediate } = options;
  let from = clock.monotonic();
  let wait = period();
  if (immediate) {
    if (await step()) return;
    if (sliding) from = clock.monotonic();
  }
  while (true) {
    // Never less than a timer, so that a loop without a period leaves room for others, and for the abort.
    if (!signal.aborted) await pause(clock, Math.max(0, from + wait - clock.monotonic()), signal);
    // The abort and the timer may come together.
    signal.throwIfAborted();
    from = clock.monotonic();
    wait = period();
    if (await step()) return;
    if (sliding) from = clock.monotonic();
  }
}

/** The wait, and a random part of `factor` waits on top. A factor of 0 and less: the wait. */
export function jittered(wait: number, factor: number, random: () => number): number {
  return factor > 0 ? wait + random() * factor * wait : wait;
}

/** Says what is wrong with a factor of `jittered()`. */
export function checkJitter(factor: number, what: string): void {
  if (Number.isFinite(factor)) return;
  throw new RangeError(
    `Cannot ${what}: expected a finite number as jitter: received ${show(factor)}`,
  );
}
