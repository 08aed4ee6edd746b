import type { Clock } from "../base/clock.ts";
import { every } from "../schedule/every.ts";
import { logProblems } from "../scheduler/console_sink.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import type { SharedCacheHandle } from "./shared_cache_handle.ts";

/** Never called. It puts the sweeper's module in this module's graph, so that `deno cache` fetches it. */
export const _task = (): Promise<unknown> => import("./_shared_sweep_task.ts");

/** A worker that sweeps needs no more than this to end. */
const GRACE = 1_000;

/** The task of a cache's sweeper: in a scheduler of the user's, or in one of its own. */
export class SharedSweeper {
  readonly #own: Scheduler | undefined;
  readonly #remove: () => Promise<void>;

  constructor(
    handle: SharedCacheHandle,
    name: string,
    options: {
      signal: AbortSignal;
      scheduler: Scheduler | undefined;
      interval: number;
      clock: Clock | undefined;
    },
  ) {
    const { signal, interval, clock } = options;
    if (options.scheduler === undefined) {
      this.#own = new Scheduler({
        signal,
        gracePeriod: GRACE,
        // A sweep that comes too late on a busy machine does what the ones before it would have done.
        onEvent: (event) => event.type === "runs-missed" || logProblems(event),
        ...(clock ? { clock } : {}),
      });
    }
    const scheduler = options.scheduler ?? this.#own!;
    // A worker that dies is replaced when the next sweep is due; no sweep depends on the one before.
    const task = scheduler.add<typeof import("./_shared_sweep_task.ts")>(
      new URL("./_shared_sweep_task.ts", import.meta.url),
      {
        name: `sweep shared cache ${name}`,
        schedule: every(interval),
        gracePeriod: GRACE,
        idleTimeout: interval + 30_000,
        input: handle,
      },
    );
    this.#remove = () => task.remove();
  }

  /** Resolves when its worker is gone. */
  async close(): Promise<void> {
    await (this.#own === undefined ? this.#remove() : this.#own.close());
  }
}
