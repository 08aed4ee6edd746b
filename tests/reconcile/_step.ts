import type { FakeClock } from "../../src/testing/fake_clock.ts";
import { settle } from "./_queue.ts";

/** Lets time pass in steps, so that everything that waits for a timer sets its next one on time. */
export async function pass(clock: FakeClock, milliseconds: number, step = 1): Promise<void> {
  await settle();
  for (let passed = 0; passed < milliseconds; passed += step) {
    clock.advance(step);
    await settle();
    // What was set for now meanwhile.
    clock.advance(0);
    await settle();
  }
}

/** Waits on a clock; the work of a step that takes time. */
export function take(clock: FakeClock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, milliseconds));
}

/** What a promise rejects with. */
export function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(() => "resolved", (error) => error);
}
