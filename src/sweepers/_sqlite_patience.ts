import { setTimeout as delay } from "node:timers/promises";
import type { TaskContext } from "../worker/context.ts";

const FIRST_WAIT = 5;
const LONGEST_WAIT = 250;
const SQLITE_BUSY = 5;

/** Tries again while somebody else has the database locked, up to a limit. */
export class Patience {
  readonly #ctx: TaskContext;
  readonly #limit: number;
  readonly #giveUp: (waited: number) => Error;
  /** How often something had to be tried again. */
  retries = 0;

  /**
   * @param ctx The context of the run; its signal ends the waiting.
   * @param limit How long to try, in milliseconds.
   * @param giveUp Makes the error for a database that was locked for longer.
   */
  constructor(ctx: TaskContext, limit: number, giveUp: (waited: number) => Error) {
    this.#ctx = ctx;
    this.#limit = limit;
    this.#giveUp = giveUp;
  }

  /** Runs something that does nothing if it finds the database locked. */
  async run<T>(action: () => T): Promise<T> {
    const start = performance.now();
    for (let wait = FIRST_WAIT;; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        return action();
      } catch (error) {
        if (!isBusy(error)) throw error;
        const waited = performance.now() - start;
        if (waited >= this.#limit) throw this.#giveUp(waited);
      }
      this.retries++;
      await this.rest(wait);
    }
  }

  /** Leaves the database to others for a while; throws when the run must stop. */
  async rest(milliseconds: number): Promise<void> {
    // It rejects with an AbortError, but the run must end with the reason of its signal.
    await delay(milliseconds, undefined, { signal: this.#ctx.signal }).catch(() => {});
    this.#ctx.checkpoint();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error &&
    // The low byte is the kind, the rest the reason.
    (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}
