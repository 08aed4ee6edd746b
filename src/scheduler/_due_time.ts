import type { Clock } from "../base/clock.ts";
import type { TimerQueue } from "../base/timer_queue.ts";
import type { Schedule } from "../schedule/schedule.ts";

/** A cron slot is not used twice when the clock is set back by less than this. */
const SMALL_SETBACK = 3 * 3_600_000;

/** What {@linkcode DueTime} calculates with. */
export interface DueTimeOptions<Item> {
  readonly schedule: Schedule;
  /** A random part of so many intervals is added to each due time. */
  readonly jitter: number;
  readonly clock: Clock;
  readonly queue: TimerQueue<Item>;
  /** What the queue says is due. */
  readonly item: Item;
}

/** When one task is due: its place on the schedule's grid, moved by jitter, in the queue. */
export class DueTime<Item> {
  readonly #options: DueTimeOptions<Item>;
  readonly #start: number;
  /** On the grid, on the schedule's clock. It is kept while nothing is awaited. */
  #slot: number | undefined;
  /** The same with jitter, while it is awaited. */
  #due: number | undefined;

  constructor(options: DueTimeOptions<Item>) {
    this.#options = options;
    this.#start = this.#now();
    this.#slot = options.schedule.first(this.#start);
  }

  /** When it is due next, in milliseconds since the epoch. */
  get wall(): number | undefined {
    return this.#due === undefined ? undefined : this.toWall(this.#due);
  }

  /** How long until it is due, in milliseconds; `Infinity` when it is not. */
  get left(): number {
    return this.#due === undefined ? Infinity : this.#due - this.#now();
  }

  /** A moment of the schedule's clock, in milliseconds since the epoch. */
  toWall(moment: number): number {
    // Whole, as everything else since the epoch.
    return Math.round(this.#options.clock.now() + (moment - this.#now()));
  }

  /** Waits for the first due time, if there is one. */
  begin(): void {
    this.#await(this.#slot);
  }

  /** Waits for the next due time from now, if there is one. */
  resume(): void {
    const { schedule } = this.#options;
    // What is due only once is not lost when that moment was in the pause.
    this.#await(schedule.next(this.#now(), this.#start) ?? this.#slot);
  }

  /** Waits `delay` milliseconds. */
  delay(delay: number): void {
    this.#await(this.#now() + delay);
  }

  /** The due time was used. @returns How many more passed since then without being used. */
  use(): number {
    const { schedule } = this.#options;
    const slot = this.#slot;
    this.#slot = this.#due = undefined;
    return slot === undefined || schedule.sliding
      ? 0
      : schedule.count(slot, this.#now(), this.#start);
  }

  /** Waits for nothing. */
  forget(): void {
    this.#due = undefined;
    this.#options.queue.delete(this.#options.item);
  }

  /** The wall clock was set `by` milliseconds forward or back. */
  clockJumped(by: number): void {
    const { kind, base } = this.#options.schedule;
    // Forward: what has become due meanwhile is due now, as after a suspend.
    if (by > 0 || base !== "wall" || this.#due === undefined || kind === "at") return;
    // Back: a grid goes on at once, or it would be silent for as long as the clock was set back.
    if (kind === "cron" && -by < SMALL_SETBACK) return;
    this.resume();
  }

  #await(slot: number | undefined): void {
    this.#slot = slot;
    if (slot === undefined) return this.forget();
    const { queue, item, schedule } = this.#options;
    this.#due = slot + this.#jitter(slot);
    queue.set(item, this.#due, schedule.base);
  }

  #jitter(slot: number): number {
    const { schedule, jitter } = this.#options;
    const wait = slot - this.#now();
    // "At once" means at once.
    if (wait <= 0) return 0;
    const interval = schedule.sliding ? wait : (schedule.next(slot, this.#start) ?? slot) - slot;
    return interval * (schedule.jitter + jitter) * Math.random();
  }

  #now(): number {
    const { schedule, clock } = this.#options;
    return schedule.base === "wall" ? clock.now() : clock.monotonic();
  }
}
