import { watchProcesses } from "./_watch_processes.ts";
import { watchTimers } from "./_watch_timers.ts";
import { watchWorkers } from "./_watch_workers.ts";

let users = 0;
let watching: Disposable[] = [];

/** Watches what Deno itself makes, from now until disposed of. */
export function watchPlatform(): Disposable {
  if (users++ === 0) watching = [watchWorkers(), watchProcesses(), watchTimers()];
  return {
    [Symbol.dispose]: () => {
      if (--users > 0) return;
      for (const one of watching) one[Symbol.dispose]();
      watching = [];
    },
  };
}
