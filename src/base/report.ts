import { show } from "./show.ts";

/**
 * The last place for an error that nobody is there to catch: one line on stderr. Deno's own
 * `reportError` would end the process.
 *
 * @param what What Leash was doing, as the start of the line.
 * @param error The error.
 */
export function report(what: string, error?: unknown): void {
  if (error === undefined) return console.error(`leash: ${what}`);
  try {
    console.error(`leash: ${what}:`, error);
  } catch {
    // The console ran code of the error's own, and that threw.
    console.error(`leash: ${what}:`, show(error));
  }
}
