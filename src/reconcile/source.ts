import type { Duration } from "../base/duration.ts";

/** Some keys, at once or one after the other. */
export type Keys = Iterable<string> | AsyncIterable<string>;

/** Where a source puts its keys. */
export interface SourceSink {
  /**
   * The key may need a run. Keys that are added before `synced()` come after all others, unless they
   * are given a priority.
   */
  add(key: string, options?: { priority?: number; after?: Duration }): void;
  /** All that was there at the beginning has been added. Calling it again does nothing. */
  synced(): void;
}

/**
 * Tells a controller which keys may need a run. `fromWatch()`, `fromChanges()`, `fromInterval()` and
 * `fromFiles()` make the usual ones.
 */
export interface Source {
  /** What it is called in events and errors. */
  readonly name: string;
  /**
   * Feeds the sink until the signal aborts, or until there is nothing more to come. When it throws, it
   * is run again after a while, and the controller reports that.
   *
   * @param sink Where keys go. It takes none any more after the abort.
   * @param signal Aborted when the source is removed, or the controller stops.
   */
  run(sink: SourceSink, signal: AbortSignal): Promise<void>;
  /** Lists all keys, for the resync of the controller. */
  list?(signal: AbortSignal): Keys | Promise<Keys>;
}

/** Keys that were there at the beginning, and those of a resync, come after what has just changed. */
export const LOW_PRIORITY = -100;
