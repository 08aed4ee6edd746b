/**
 * The last place for an error that nobody is there to catch: one line on stderr. Deno's own
 * `reportError` would end the process.
 *
 * @param what What Leash was doing, as the start of the line.
 * @param error The error.
 */
export function report(what: string, error?: unknown): void {
  if (error === undefined) console.error(`leash: ${what}`);
  else console.error(`leash: ${what}:`, error);
}
