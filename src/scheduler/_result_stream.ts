/** Results that one consumer has not read yet; more are dropped, oldest first. */
const LIMIT = 1_000;

interface Consumer<Item> {
  readonly buffer: Item[];
  wake: () => void;
}

/** Hands each item to every consumer that is reading, in order. */
export class ResultStream<Item> {
  readonly #consumers = new Set<Consumer<Item>>();
  readonly #onDrop: () => void;
  #ended = false;

  /** @param onDrop A consumer was too slow and lost its oldest item. */
  constructor(onDrop: () => void) {
    this.#onDrop = onDrop;
  }

  /** Gives an item to all consumers. */
  push(item: Item): void {
    for (const consumer of this.#consumers) {
      if (consumer.buffer.length >= LIMIT) {
        consumer.buffer.shift();
        this.#onDrop();
      }
      consumer.buffer.push(item);
      consumer.wake();
    }
  }

  /** No further items: consumers end when they have read what is there. */
  end(): void {
    this.#ended = true;
    for (const { wake } of this.#consumers) wake();
  }

  /** Reads the items from now on. Leaving the loop ends it and leaves nothing behind. */
  async *read(): AsyncGenerator<Item, void, undefined> {
    const consumer: Consumer<Item> = { buffer: [], wake: () => {} };
    this.#consumers.add(consumer);
    try {
      while (true) {
        const item = consumer.buffer.shift();
        if (item !== undefined) {
          yield item;
        } else if (this.#ended) {
          return;
        } else {
          await new Promise<void>((resolve) => consumer.wake = resolve);
        }
      }
    } finally {
      this.#consumers.delete(consumer);
    }
  }
}
