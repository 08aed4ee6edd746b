/**
 * The long form of the stress of SharedCache, for `deno task stress:cache [minutes] [kills]`; 10 and
 * 1,000 by default. First its sweeper is killed and replaced every second for so many minutes, then so
 * many threads are killed one after the other, wherever they are. The exit code is 1 when a value was
 * wrong, when a thread did not go on, or when memory did not come back.
 *
 * @module
 */

import { type StressResult, stressSharedCache } from "../support/shared_stress.ts";

/** What is known so far is printed so often, in milliseconds. */
const REPORT = 10_000;

if (import.meta.main) {
  const [minutes, kills] = [Number(Deno.args[0] ?? 10), Number(Deno.args[1] ?? 1_000)];
  if (!(minutes >= 0 && kills >= 0)) {
    throw new RangeError(
      `Cannot stress: expected minutes and a number of kills: received ${Deno.args.join(" ")}`,
    );
  }
  const end = performance.now() + minutes * 60_000;
  const sweeper = await stress("killing the sweeper every second", {
    victims: "sweeper",
    pause: 1_000,
    goesOn: () => performance.now() < end,
  });
  const all = await stress("killing any thread", {
    victims: "all",
    goesOn: (result) => result.kills < kills,
  });
  Deno.exit(sweeper && all ? 0 : 1);
}

/** Whether it went well. */
async function stress(
  what: string,
  options: Parameters<typeof stressSharedCache>[0],
): Promise<boolean> {
  const start = performance.now();
  const seconds = () => ((performance.now() - start) / 1_000).toFixed(0);
  const print = (how: string, result: StressResult) =>
    console.log(
      `${what}: ${how} after ${seconds()} s: ${result.kills} killed, ${result.operations} ` +
        `operations in other threads, ${result.hits} hits, ${result.evictions} evictions, ` +
        `${result.wrong} wrong values`,
    );
  let next = REPORT;
  try {
    const result = await stressSharedCache({
      ...options,
      goesOn(result) {
        if (performance.now() - start >= next) {
          next += REPORT;
          print("going on", result);
        }
        // What is wrong does not get better.
        return result.wrong === 0 && options.goesOn(result);
      },
    });
    print(result.wrong === 0 ? "PASSED" : "FAILED", result);
    return result.wrong === 0;
  } catch (error) {
    console.error(`${what}: FAILED after ${seconds()} s:`, error);
    return false;
  }
}
