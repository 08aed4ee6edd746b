import { ControlBlock } from "../../src/protocol/control_block.ts";
import { decodeThrown, encodeThrown } from "../../src/protocol/error_codec.ts";
import type { FromWorker, ToWorker } from "../../src/protocol/messages.ts";

type Type = FromWorker["type"];
type Of<T extends Type> = Extract<FromWorker, { type: T }>;

/** A worker with the runtime in it, seen from the parent: it keeps each message until it is asked for. */
export class RuntimePeer implements AsyncDisposable {
  readonly lock = `runtime test ${crypto.randomUUID()}`;
  readonly control = new ControlBlock();
  /** What came and was not asked for yet. */
  readonly messages: FromWorker[] = [];
  readonly #worker: Worker;
  #wake = Promise.withResolvers<void>();

  /** @param code The task module. */
  constructor(code: string) {
    const task = `data:text/javascript,${encodeURIComponent(code)}`;
    this.#worker = new Worker(import.meta.resolve("./_runtime_worker.ts"), {
      type: "module",
      name: JSON.stringify({ lock: this.lock, task }),
    });
    this.#worker.onmessage = ({ data }) => {
      this.messages.push(data);
      this.#wake.resolve();
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#wake.reject(new Error(`the worker ended: ${event.message}`));
    };
    this.post({
      type: "leash:init",
      worker: "w1",
      task: "sweep",
      control: this.control.buffer,
      concurrency: 2,
      needsDefault: true,
      beatInterval: 0,
      reportsHeap: false,
    });
  }

  post(message: ToWorker): void {
    this.postForeign(message);
  }

  postForeign(message: unknown): void {
    this.#worker.postMessage(message);
  }

  /** The next message. */
  async next(): Promise<FromWorker> {
    while (this.messages.length === 0) {
      await this.#wake.promise;
      this.#wake = Promise.withResolvers<void>();
    }
    return this.messages.shift()!;
  }

  /** The next message, which must be of this type. */
  async expect<T extends Type>(type: T): Promise<Of<T>> {
    const message = await this.next();
    if (message.type === type) return message as Of<T>;
    throw new Error(`Expected ${type}, received ${Deno.inspect(message)}`);
  }

  async ready(): Promise<this> {
    await this.expect("leash:hello");
    await this.expect("leash:ready");
    return this;
  }

  run(sequence: number, input: unknown): void {
    this.post({
      type: "leash:run",
      sequence,
      runId: `r${sequence}`,
      attempt: 1,
      inputs: [input],
    });
  }

  abort(sequence: number, reason: unknown): void {
    this.post({ type: "leash:abort", sequence, reason: encodeThrown(reason) });
  }

  stop(reason: unknown): void {
    this.post({ type: "leash:stop", reason: encodeThrown(reason) });
  }

  /** The value that the run returned. */
  async result(sequence: number): Promise<unknown> {
    const message = await this.expect("leash:results");
    if (message.sequence !== sequence || message.values.length !== 1) {
      throw new Error(`Expected the result of run ${sequence}, received ${Deno.inspect(message)}`);
    }
    return message.values[0];
  }

  /** The error that the run failed with. */
  async failed(sequence: number): Promise<Error> {
    const message = await this.expect("leash:failed");
    if (message.sequence !== sequence) throw new Error(`run ${message.sequence} failed`);
    return decodeThrown(message.error) as Error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#worker.terminate();
    await deathOf(this.lock);
  }
}

interface Locks {
  request(name: string, callback: () => void): Promise<void>;
}

/** Resolves when the worker that holds the lock is dead. */
export function deathOf(lock: string): Promise<void> {
  return (navigator as unknown as { locks: Locks }).locks.request(lock, () => {});
}
