/** A timer of the fake clock. */
interface Timer {
  id: number;
  due: number;
  /** Order of creation: timers that are due at the same time fire in this order. */
  turn: number;
  /** Set for an interval: time between two calls. */
  every: number | undefined;
  call: () => void;
}

/** The queue of a fake clock: nothing in it moves by itself. */
export class FakeTimers {
  #now: number;
  #turn = 0;
  #id = 0;
  #timers = new Map<number, Timer>();

  constructor(start: number) {
    this.#now = start;
  }

  get now(): number {
    return this.#now;
  }

  add(call: () => void, ms: number, repeat: boolean): number {
    // As the real timers do: an interval of 0 would never let the clock move on.
    const wait = Math.max(repeat ? 1 : 0, Math.floor(Number(ms)) || 0);
    const id = ++this.#id;
    this.#timers.set(id, {
      id,
      due: this.#now + wait,
      turn: ++this.#turn,
      every: repeat ? wait : undefined,
      call,
    });
    return id;
  }

  remove(id: unknown): void {
    this.#timers.delete(id as number);
  }

  /** The next timer. Tests hold few timers: a search is simpler than a sorted structure. */
  next(): { due: number } | undefined {
    return this.#first();
  }

  /** Moves the clock and fires what is due on the way, at its own time. */
  advanceTo(time: number): void {
    for (let timer = this.#first(); timer && timer.due <= time; timer = this.#first()) {
      this.#now = Math.max(this.#now, timer.due);
      if (timer.every === undefined) {
        this.#timers.delete(timer.id);
      } else {
        timer.due += timer.every;
        timer.turn = ++this.#turn;
      }
      // When this throws, the clock stands still at the time of the timer that threw.
      timer.call();
    }
    this.#now = Math.max(this.#now, time);
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers.values()) {
      const earlier = first === undefined || timer.due < first.due ||
        (timer.due === first.due && timer.turn < first.turn);
      if (earlier) first = timer;
    }
    return first;
  }
}
