import type { Clock } from "../base/clock.ts";
import { CoarseTime } from "./_queue_coarse_time.ts";
import { Deferrals } from "./_queue_deferrals.ts";
import { Delays } from "./_queue_delays.ts";
import { COOLING, DELAYED, DONE, Entry, IN_HAND, READY } from "./_queue_entry.ts";
import { ReadySet } from "./_queue_ready.ts";
import { Counters } from "./_queue_report.ts";
import { TurnTime } from "./_queue_turn_time.ts";

/** What a core tells its queue. */
export interface CoreHandlers {
  /** A key can be taken. `now`: monotonic time. */
  ready(now: number): void;
  /** A key was let go of. */
  released(): void;
}

/** In what times a core reckons, in milliseconds. */
export interface CoreTimes {
  readonly ageing: number;
  readonly minInterval: number;
}

/** Where each key is, and how it gets from one place to the next. Knows nothing of waiting or stopping. */
export class QueueCore<K> {
  readonly entries = new Map<string, Entry<K>>();
  readonly counters = new Counters();
  readonly ready: ReadySet<K>;
  /** How many keys wait for their time. */
  delayed = 0;
  /** How many keys somebody has. */
  inHand = 0;
  readonly #clock: Clock;
  readonly #turn: TurnTime;
  readonly #coarse: CoarseTime;
  readonly #minInterval: number;
  readonly #handlers: CoreHandlers;
  readonly #delays: Delays<K>;
  readonly #deferrals = new Deferrals<K>();
  #ended = false;

  constructor(clock: Clock, { ageing, minInterval }: CoreTimes, handlers: CoreHandlers) {
    this.#clock = clock;
    this.#turn = new TurnTime(clock);
    this.#coarse = new CoarseTime(clock);
    this.#minInterval = minInterval;
    this.#handlers = handlers;
    this.ready = new ReadySet(ageing);
    this.#delays = new Delays(clock, () => this.#promote(clock.monotonic()));
  }

  /** Adds a key, or brings the one that is there up to date. */
  add(id: string, key: K, priority: number, delay: number): void {
    let entry = this.entries.get(id);
    // The only case that needs no time.
    if (entry !== undefined && entry.place === READY) return this.#merge(entry, key, priority);
    const isPlain = entry === undefined && delay === 0 && this.#minInterval === 0;
    const now = isPlain ? this.#turn.now() : this.#clock.monotonic();
    if (this.#delays.isDue(now)) {
      this.#promote(now);
      // It may have been among them, and be ready, in hand or forgotten now.
      entry = this.entries.get(id);
      if (entry !== undefined && entry.place === READY) return this.#merge(entry, key, priority);
    }
    if (entry === undefined) {
      this.counters.added++;
      entry = new Entry(id, key, priority, now + delay, this.#release);
      this.entries.set(id, entry);
      this.#queue(entry, now);
    } else this.#addKnown(entry, key, priority, now + delay, now);
  }

  /** The key must not come before `delay` has passed, whatever was said before. */
  defer(id: string, key: K, delay: number): void {
    const now = this.#clock.monotonic();
    let entry = this.entries.get(id);
    if (entry === undefined) {
      if (delay === 0) return;
      entry = new Entry(id, key, 0, 0, this.#release);
      this.#deferrals.put(entry, delay, now);
      this.entries.set(id, entry);
      return this.#rest(entry, now);
    }
    const at = this.#deferrals.put(entry, delay, now);
    if (at === undefined) return;
    if (entry.place === COOLING) {
      this.#delays.remove(entry);
      this.#rest(entry, now);
    } else if (entry.place === READY || entry.place === DELAYED) {
      this.#unqueue(entry);
      // What may come again comes from now on.
      entry.at = Math.max(at, now);
      this.#queue(entry, now);
    }
  }

  /** Takes the next key, also if its time has come only now. */
  take(): Entry<K> | undefined {
    // To read the time takes longer than all the rest.
    if (this.#delays.size === 0) {
      if (this.ready.size === 0) return undefined;
      // Nothing counts from it but how long the key has waited and is in hand.
      if (this.#minInterval === 0) return this.takeReady(this.#coarse.now());
    }
    const now = this.#clock.monotonic();
    if (this.#delays.isDue(now)) this.#promote(now);
    return this.takeReady(now);
  }

  /** Takes the next key of those that are ready. Nobody is told of anything. */
  takeReady(now: number): Entry<K> | undefined {
    const entry = this.ready.shift();
    if (entry === undefined) return undefined;
    entry.place = IN_HAND;
    entry.takenAt = now;
    this.#deferrals.delete(entry);
    if (this.#minInterval > 0 && now + this.#minInterval > entry.notBefore) {
      entry.notBefore = now + this.#minInterval;
    }
    this.inHand++;
    this.counters.taken++;
    return entry;
  }

  /** Moves on what is due though the timer has not had its turn. */
  settle(): void {
    const now = this.#clock.monotonic();
    if (this.#delays.isDue(now)) this.#promote(now);
  }

  /** Nothing becomes due any more. */
  stop(): void {
    this.#delays.stop();
  }

  /** Forgets all keys. */
  end(): void {
    this.#ended = true;
    this.#delays.stop();
    this.#delays.clear();
    this.ready.clear();
    this.entries.clear();
    this.#deferrals.clear();
    this.delayed = 0;
  }

  readonly #release = (entry: Entry<K>, putOff?: number): void => {
    if (putOff !== undefined && !this.#ended) this.#putOff(entry, putOff);
    entry.place = DONE;
    this.inHand--;
    this.counters.done++;
    if (!this.#ended) this.#succeed(entry);
    this.#handlers.released();
  };

  /** Nothing was done with the key, so nothing counts from its hand-out. */
  #putOff(entry: Entry<K>, delay: number): void {
    // What it had to wait for before was over when it was taken.
    this.#deferrals.withoutInterval(entry);
    this.#addAgain(entry, entry.key, entry.priority, this.#clock.monotonic() + delay);
  }

  /** What comes after an entry that was let go of. */
  #succeed(entry: Entry<K>): void {
    const { id, again, notBefore } = entry;
    if (again === undefined && notBefore === 0) return void this.entries.delete(id);
    const now = this.#clock.monotonic();
    const next = again ?? new Entry(id, entry.key, 0, 0, this.#release);
    // Whoever keeps the old one must not keep all that come after it.
    entry.again = undefined;
    next.notBefore = notBefore;
    this.entries.set(id, next);
    if (again === undefined) return this.#rest(next, now);
    this.#deferrals.added(entry, again.at);
    this.#queue(next, now);
  }

  /** Adds a key that is known, and not ready. */
  #addKnown(entry: Entry<K>, key: K, priority: number, at: number, now: number): void {
    if (entry.place === IN_HAND) return this.#addAgain(entry, key, priority, at);
    this.#deferrals.added(entry, at);
    if (entry.place === DELAYED) {
      this.#merge(entry, key, priority);
      // Whoever would not come sooner keeps its place among those of one moment.
      if (Math.max(at, entry.notBefore) >= entry.at) return;
      this.#unqueue(entry);
    } else {
      this.counters.added++;
      entry.key = key;
      entry.priority = priority;
      this.#delays.remove(entry);
    }
    entry.at = at;
    this.#queue(entry, now);
  }

  /** Adds a key that somebody has. */
  #addAgain(entry: Entry<K>, key: K, priority: number, at: number): void {
    const { again } = entry;
    if (again === undefined) {
      this.counters.added++;
      entry.again = new Entry(entry.id, key, priority, at, this.#release);
    } else {
      this.#merge(again, key, priority);
      if (at < again.at) again.at = at;
    }
  }

  /** Adds a key that waits already: its priority never falls. */
  #merge(entry: Entry<K>, key: K, priority: number): void {
    this.counters.deduplicated++;
    entry.key = key;
    if (priority <= entry.priority) return;
    const isReady = entry.place === READY;
    if (isReady) this.ready.remove(entry);
    entry.priority = priority;
    // Behind its new equals.
    if (isReady) this.ready.push(entry);
  }

  /** Puts a key where its time says. */
  #queue(entry: Entry<K>, now: number): void {
    if (entry.notBefore > entry.at) entry.at = entry.notBefore;
    if (entry.at > now) {
      entry.place = DELAYED;
      this.delayed++;
      this.#delays.push(entry, now);
    } else {
      entry.place = READY;
      this.ready.push(entry);
      this.#handlers.ready(now);
    }
  }

  /** Takes back what `#queue` did. */
  #unqueue(entry: Entry<K>): void {
    if (entry.place === READY) return this.ready.remove(entry);
    this.delayed--;
    this.#delays.remove(entry);
  }

  #forget(entry: Entry<K>): void {
    this.entries.delete(entry.id);
    this.#deferrals.delete(entry);
  }

  /** Keeps of a key that waits for nothing only that it must not come too soon. */
  #rest(entry: Entry<K>, now: number): void {
    if (entry.notBefore <= now) return this.#forget(entry);
    entry.place = COOLING;
    entry.at = entry.notBefore;
    this.#delays.push(entry, now);
  }

  /** Moves on what has become due. */
  #promote(now: number): void {
    for (let entry; (entry = this.#delays.shift(now)) !== undefined;) {
      if (entry.place === COOLING) {
        this.#forget(entry);
        continue;
      }
      this.delayed--;
      entry.place = READY;
      this.ready.push(entry);
    }
    this.#delays.arm(now);
    if (this.ready.size > 0) this.#handlers.ready(now);
  }
}
