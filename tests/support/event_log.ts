/** Keeps events, and lets a test wait for one in place of waiting for some time to pass. */
export class EventLog<Event extends { readonly type: string }> {
  readonly events: Event[] = [];
  readonly #waiters = new Set<() => void>();

  /** Give this as `onEvent`. */
  readonly sink = (event: Event): void => {
    this.events.push(event);
    for (const wake of this.#waiters) wake();
  };

  /** The events of one type so far. */
  all<Type extends Event["type"]>(type: Type): Extract<Event, { type: Type }>[] {
    return this.events.filter((event) => event.type === type) as Extract<Event, { type: Type }>[];
  }

  /** Resolves with the `count`-th event of that type, at once if there was one. */
  async until<Type extends Event["type"]>(
    type: Type,
    count = 1,
  ): Promise<Extract<Event, { type: Type }>> {
    while (true) {
      const event = this.all(type)[count - 1];
      if (event !== undefined) return event;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiters.add(resolve);
      await promise;
      this.#waiters.delete(resolve);
    }
  }
}
