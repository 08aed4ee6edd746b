import { type Clock, systemClock } from "../base/clock.ts";
import { type Duration, toMilliseconds } from "../base/duration.ts";
import { iterate } from "./_iterate.ts";
import { pause } from "./_pause.ts";
import { type Keys, LOW_PRIORITY, type Source } from "./source.ts";

/** What {@linkcode fromInterval} does with the keys. */
export interface FromIntervalOptions {
  /** What it is called. Default: `"interval"`. */
  name?: string;
  /** Higher comes first. Default: −100, after whatever has just changed. */
  priority?: number;
  /** The time. Default: the computer's. */
  clock?: Clock;
}

/**
 * Lists keys at once, and again and again, so long after the end of the listing before.
 *
 * @param interval How long to wait between two listings.
 * @param list All keys. Its signal aborts when the source ends.
 * @param options How urgent they are.
 * @returns For the `sources` of a controller. It is synced after the first listing.
 * @throws {RangeError} When the interval is less than 1 ms.
 *
 * @example
 * ```ts
 * import { fromInterval } from "@leash/leash/reconcile";
 *
 * const source = fromInterval({ minutes: 1 }, async function* () {
 *   for await (const { name } of Deno.readDir(".")) yield name;
 * });
 * console.log(source.name);
 * ```
 */
export function fromInterval(
  interval: Duration,
  list: (signal: AbortSignal) => Keys | Promise<Keys>,
  options: FromIntervalOptions = {},
): Source {
  const { name = "interval", priority = LOW_PRIORITY, clock = systemClock } = options;
  const wait = toMilliseconds(interval, "interval", { minimum: 1 });
  return {
    name,
    async run(sink, signal) {
      while (!signal.aborted) {
        await iterate(await list(signal), signal, (key) => sink.add(key, { priority }));
        sink.synced();
        await pause(clock, wait, signal);
      }
    },
    list,
  };
}
