import { type Clock, systemClock } from "../base/clock.ts";
import { toMilliseconds } from "../base/duration.ts";
import { show } from "../base/show.ts";
import { Scheduler } from "../scheduler/scheduler.ts";
import { CODECS } from "./_shared_codec.ts";
import { type Layout, LEAST_BYTES, MOST_BYTES, planLayout } from "./_shared_layout.ts";
import type { SharedSettings } from "./_shared_memory.ts";
import type { SharedCacheOptions } from "./shared_cache_options.ts";

/** The options of a cache, checked. */
export interface SharedConfig {
  readonly layout: Layout;
  readonly settings: SharedSettings;
  /** `undefined`: the computer's. */
  readonly clock: Clock | undefined;
  readonly scheduler: Scheduler | undefined;
  /** Milliseconds, or `Infinity`. */
  readonly sweepInterval: number;
}

/** An entry lives at least a millisecond. */
export const LEAST_TTL = 1;

export function sharedConfig(options: SharedCacheOptions): SharedConfig {
  checkSignal("make", options?.signal);
  const { maxBytes, entryBytes = 64, segmentBytes, codec = "json", scheduler, clock } = options;
  number("maxBytes", maxBytes, LEAST_BYTES, MOST_BYTES);
  number("entryBytes", entryBytes, 1, 2 ** 18);
  if (!CODECS.includes(codec)) {
    throw new TypeError(
      `Cannot make a SharedCache: expected one of ${CODECS.join(", ")} as codec: received ${
        show(codec)
      }`,
    );
  }
  if (scheduler !== undefined && !(scheduler instanceof Scheduler)) {
    throw new TypeError(
      `Cannot make a SharedCache: expected a Scheduler as scheduler: received ${show(scheduler)}`,
    );
  }
  let shift: number | undefined;
  if (segmentBytes !== undefined) {
    number("segmentBytes", segmentBytes, 2 ** 12, 2 ** 18);
    shift = Math.log2(segmentBytes);
    if (!Number.isInteger(shift)) throw wrong("segmentBytes", "a power of two", segmentBytes);
  }
  const layout = planLayout(maxBytes, entryBytes, shift);
  if (layout.segments < 4) {
    throw wrong("maxBytes", "room for the index and four segments at least", maxBytes);
  }
  const ttl = toMilliseconds(options.ttl, "ttl", { allowInfinity: true, minimum: LEAST_TTL });
  return {
    layout,
    settings: { codec, ttl },
    clock: clock === systemClock ? undefined : clock,
    scheduler,
    sweepInterval: toMilliseconds(options.sweepInterval ?? 1_000, "sweepInterval", {
      allowInfinity: true,
      minimum: 1,
    }),
  };
}

/** Throws unless the signal is one. */
export function checkSignal(verb: string, signal: unknown): void {
  if (signal instanceof AbortSignal) return;
  throw new TypeError(
    `Cannot ${verb} a SharedCache: expected an AbortSignal as signal: received ${show(signal)}`,
  );
}

function number(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw wrong(name, `a whole number from ${least} to ${most}`, value);
}

function wrong(name: string, expected: string, value: unknown): RangeError {
  return new RangeError(
    `Cannot make a SharedCache: expected ${expected} as ${name}: received ${show(value)}`,
  );
}
