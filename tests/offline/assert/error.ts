import { inspect } from "node:util";

/** What every assertion throws. */
export class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}

/** Throws, with the caller's own message behind ours. */
export function reject(what: string, message?: string): never {
  throw new AssertionError(message ? `${what}: ${message}` : `${what}.`);
}

/** A value as text for a message. */
export function show(value: unknown): string {
  return inspect(value, { depth: 10, sorted: true, compact: 3, breakLength: 100 });
}
