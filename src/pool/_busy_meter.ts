import type { Transport } from "./transport.ts";

/** Less time than this says nothing: the system counts in steps of 10 ms. */
const LEAST = 30;

/**
 * How much of a processor a worker uses while it has been told to stop and does not. It needs no help
 * of the worker's: code that never yields shows, and can be told from code that waits.
 */
export class BusyMeter {
  /** Between 0 and 1, as far as it is known; where it cannot be seen, `undefined`. */
  share: number | undefined;
  readonly #transport: Transport;
  #told: { readonly at: number; readonly cpu: Promise<number | undefined> } | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The worker is told to stop, or one of its runs is. */
  told(): void {
    const cpu = this.#transport.cpuTime?.();
    if (cpu !== undefined) this.#told = { at: performance.now(), cpu };
  }

  /** It is about to be ended by force. */
  async ending(): Promise<void> {
    if (this.#told === undefined) return;
    const took = performance.now() - this.#told.at;
    const [before, after] = await Promise.all([this.#told.cpu, this.#transport.cpuTime!()]);
    if (before === undefined || after === undefined || took < LEAST) return;
    this.share = Math.min(1, (after - before) / took);
  }
}
