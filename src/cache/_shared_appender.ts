import type { Merger } from "./_shared_merger.ts";
import type { Segments } from "./_shared_segments.ts";
import type { OpenSegment } from "./_shared_state.ts";
import type { Supply } from "./_shared_supply.ts";
import { NEVER } from "./_shared_time.ts";

/**
 * The open segments of one thread: one for each class of time to live, so that what expires at about the
 * same time lies together.
 */
export class Appender {
  readonly #segments: Segments;
  readonly #supply: Supply;
  readonly #merger: Merger;
  readonly #open: OpenSegment[] = [];
  readonly #mostOpen: number;
  readonly #classesPerOctave: number;
  #ttl = Infinity;
  #ttlClass = NEVER;

  constructor(segments: Segments, supply: Supply, merger: Merger) {
    this.#segments = segments;
    this.#supply = supply;
    this.#merger = merger;
    const { count } = segments;
    this.#mostOpen = Math.max(1, Math.min(64, count >>> 4));
    this.#classesPerOctave = count >= 4_096 ? 12 : count >= 512 ? 4 : 1;
  }

  /** Lets others have its segments: nothing will be appended to them. */
  release(): void {
    for (const open of this.#open.splice(0)) this.#segments.seal(open);
  }

  /** Its segments have been freed. */
  forget(): void {
    this.#open.length = 0;
  }

  /**
   * Begins to append a record to a segment of its class.
   *
   * @returns The segment, to be ended; `undefined`: all are in the hands of others.
   */
  begin(units: number, ttl: number, expiry: number): OpenSegment | undefined {
    const ttlClass = this.#classOf(ttl);
    for (let turn = 0; turn < 8; turn++) {
      let i = this.#nearest(ttlClass);
      if (i >= 0 && this.#open[i]!.ttlClass !== ttlClass && this.#prune()) {
        i = this.#nearest(ttlClass);
      }
      let open: OpenSegment | undefined = this.#open[i];
      if (open === undefined || open.used + units > this.#segments.units) {
        if (open !== undefined) {
          this.#segments.seal(open);
          this.#open.splice(i, 1);
        }
        open = this.#supply.open(ttlClass, expiry);
        if (open === undefined) return undefined;
        this.#open.push(open);
        this.#merger.merge(open, units, expiry);
      }
      if (this.#segments.begin(open, units, expiry)) return open;
      this.#open.splice(this.#open.indexOf(open), 1);
    }
    return undefined;
  }

  /** Forgets those that were freed meanwhile; whether there was any. */
  #prune(): boolean {
    const before = this.#open.length;
    for (let i = before - 1; i >= 0; i--) {
      if (!this.#segments.isOwn(this.#open[i]!)) this.#open.splice(i, 1);
    }
    return this.#open.length < before;
  }

  /** The open segment of the class; that of another class only when no more may be open. */
  #nearest(ttlClass: number): number {
    let nearest = -1;
    let distance = Infinity;
    for (let i = 0; i < this.#open.length; i++) {
      const gap = Math.abs(this.#open[i]!.ttlClass - ttlClass);
      if (gap === 0) return i;
      if (gap < distance) [nearest, distance] = [i, gap];
    }
    return this.#open.length < this.#mostOpen ? -1 : nearest;
  }

  #classOf(ttl: number): number {
    // Mostly it is the one of before.
    if (ttl === this.#ttl) return this.#ttlClass;
    this.#ttl = ttl;
    return this.#ttlClass = ttl === Infinity
      ? NEVER
      : Math.floor(Math.log2(ttl) * this.#classesPerOctave);
  }
}
