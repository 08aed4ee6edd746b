import { type Duration, toMilliseconds } from "../base/duration.ts";
import { show } from "../base/show.ts";
import { LEAST_TTL } from "./_shared_config.ts";
import { LONGEST_KEY } from "./_shared_text.ts";

/** Throws unless it can be a key, but for its length. */
export function checkKey(verb: string, key: unknown): void {
  if (typeof key === "string" || key instanceof Uint8Array) return;
  throw new TypeError(
    `Cannot ${verb} a SharedCache: expected a string or a Uint8Array as key: received ${show(key)}`,
  );
}

export function keyTooLong(verb: string, key: string | Uint8Array): RangeError {
  return new RangeError(
    `Cannot ${verb} a SharedCache: expected a key of at most ${LONGEST_KEY} bytes: received one ` +
      `of ${key.length} ${typeof key === "string" ? "characters" : "bytes"}`,
  );
}

export function entryTooLarge(room: number, key: number, value: number): RangeError {
  return new RangeError(
    `Cannot set in a SharedCache: expected a key and a value of at most ${room} bytes together, as ` +
      `segments have that size: received ${key} and ${value} bytes`,
  );
}

/** Milliseconds, or `Infinity`. Throws when it is none. */
export function ttlOf(ttl: Duration): number {
  if (typeof ttl === "number" && ttl >= LEAST_TTL) return ttl;
  return toMilliseconds(ttl, "ttl", { allowInfinity: true, minimum: LEAST_TTL });
}
