import type { TaskContext } from "../worker/context.ts";

/**
 * Cuts synchronous work into slices. Between two slices the event loop of the worker turns once, so
 * that it can take in a stop and acknowledge it.
 */
export class Pace {
  readonly #ctx: TaskContext;
  readonly #slice: number;
  #end: number;

  /**
   * @param ctx The context of the run.
   * @param slice How long a slice is, in milliseconds.
   */
  constructor(ctx: TaskContext, slice: number) {
    this.#ctx = ctx;
    this.#slice = slice;
    this.#end = performance.now() + slice;
  }

  /** Throws when the run must stop; true when the slice is used up. */
  isDue(): boolean {
    this.#ctx.checkpoint();
    return performance.now() >= this.#end;
  }

  /** Lets the event loop turn once, and begins the next slice. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#ctx.checkpoint();
    this.#end = performance.now() + this.#slice;
  }
}
