import type { Clock } from "../base/clock.ts";
import { Delays } from "./_queue_delays.ts";
import { AGAIN, COOLING, DELAYED, Entry, IN_HAND, READY } from "./_queue_entry.ts";
import { Hand } from "./_queue_hand.ts";
import { ReadySet } from "./_queue_ready.ts";
import { Counters } from "./_queue_report.ts";
import { TurnTime } from "./_queue_turn_time.ts";

/** What a core tells its queue. */
export interface CoreHandlers {
  /** A key can be taken. */
  ready(): void;
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
  readonly #minInterval: number;
  readonly #handlers: CoreHandlers;
  readonly #delays: Delays<K>;
  #ended = false;

  constructor(clock: Clock, { ageing, minInterval }: CoreTimes, handlers: CoreHandlers) {
    this.#clock = clock;
    this.#turn = new TurnTime(clock);
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
    const isNew = entry === undefined && delay === 0;
    const now = isNew ? this.#turn.now() : this.#clock.monotonic();
    if (this.#delays.isDue(now)) {
      this.#promote(now);
      // It may have been among them, and be ready, in hand or forgotten now.
      entry = this.entries.get(id);
      if (entry !== undefined && entry.place === READY) return this.#merge(entry, key, priority);
    }
    if (entry === undefined) {
      this.counters.added++;
      entry = new Entry(id, key, priority, now + delay);
      this.entries.set(id, entry);
      this.#queue(entry, now);
    } else this.#addKnown(entry, key, priority, now + delay, now);
  }

  /** The key must not come before `delay` has passed. */
  defer(id: string, key: K, delay: number): void {
    const now = this.#clock.monotonic();
    let entry = this.entries.get(id);
    if (entry === undefined) {
      entry = new Entry(id, key, 0, 0);
      entry.notBefore = now + delay;
      this.entries.set(id, entry);
      return this.#rest(entry, now);
    }
    if (now + delay <= entry.notBefore) return;
    entry.notBefore = now + delay;
    if (entry.place === COOLING) {
      this.#delays.remove(entry);
      this.#rest(entry, now);
    } else if (entry.place === READY || entry.place === DELAYED) {
      this.#unqueue(entry);
      this.#queue(entry, now);
    }
  }

  /** Takes the next key, also if its time has come only now. */
  take(): Hand<K> | undefined {
    const now = this.#clock.monotonic();
    if (this.#delays.isDue(now)) this.#promote(now);
    return this.takeReady(now);
  }

  /** Takes the next key of those that are ready. Nobody is told of anything. */
  takeReady(now: number = this.#clock.monotonic()): Hand<K> | undefined {
    const entry = this.ready.shift();
    if (entry === undefined) return undefined;
    const hand = new Hand(entry, now, this.#release);
    entry.place = IN_HAND;
    entry.holder = hand;
    if (this.#minInterval > 0 && now + this.#minInterval > entry.notBefore) {
      entry.notBefore = now + this.#minInterval;
    }
    this.inHand++;
    this.counters.taken++;
    return hand;
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
    this.delayed = 0;
  }

  readonly #release = (entry: Entry<K>): void => {
    entry.holder = undefined;
    this.inHand--;
    this.counters.done++;
    if (!this.#ended) {
      if (entry.place === AGAIN) this.#queue(entry, this.#clock.monotonic());
      else if (entry.notBefore === 0) this.entries.delete(entry.id);
      else this.#rest(entry, this.#clock.monotonic());
    }
    this.#handlers.released();
  };

  /** Adds a key that is known, and not ready. */
  #addKnown(entry: Entry<K>, key: K, priority: number, at: number, now: number): void {
    if (entry.place === DELAYED || entry.place === AGAIN) {
      this.#merge(entry, key, priority);
      if (at >= entry.at) return;
      if (entry.place === AGAIN) entry.at = at;
      else {
        this.#unqueue(entry);
        entry.at = at;
        this.#queue(entry, now);
      }
      return;
    }
    this.counters.added++;
    entry.key = key;
    entry.priority = priority;
    if (entry.place === COOLING) {
      this.#delays.remove(entry);
      entry.at = at;
      this.#queue(entry, now);
    } else {
      entry.at = at;
      entry.place = AGAIN;
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
      this.#handlers.ready();
    }
  }

  /** Takes back what `#queue` did. */
  #unqueue(entry: Entry<K>): void {
    if (entry.place === READY) return this.ready.remove(entry);
    this.delayed--;
    this.#delays.remove(entry);
  }

  /** Keeps of a key that waits for nothing only that it must not come too soon. */
  #rest(entry: Entry<K>, now: number): void {
    if (entry.notBefore <= now) return void this.entries.delete(entry.id);
    entry.place = COOLING;
    entry.at = entry.notBefore;
    this.#delays.push(entry, now);
  }

  /** Moves on what has become due. */
  #promote(now: number): void {
    for (let entry; (entry = this.#delays.shift(now)) !== undefined;) {
      if (entry.place === COOLING) {
        this.entries.delete(entry.id);
        continue;
      }
      this.delayed--;
      entry.place = READY;
      this.ready.push(entry);
    }
    this.#delays.arm(now);
    if (this.ready.size > 0) this.#handlers.ready();
  }
}
