import type { Clock } from "../base/clock.ts";
import type { WorkerCrashedError } from "../base/errors.ts";
import { onAbort } from "../base/on_abort.ts";
import type { ControlBlock } from "../protocol/control_block.ts";
import { decodeThrown, encodeThrown } from "../protocol/error_codec.ts";
import type { FromWorker, ToWorker } from "../protocol/messages.ts";
import type { AbortCause, RunRequest, RunSettlement } from "./run.ts";

/** What a run needs of the worker that it is in. */
export interface RunHost {
  readonly task: string;
  readonly clock: Clock;
  readonly control: ControlBlock;
  post(message: ToWorker): void;
  /** Ends the worker and tells whether it did end. */
  kill(): Promise<"dead" | "stuck">;
}

/** One run in a worker, from the message that starts it to its settlement. */
export class ActiveRun {
  /** Never rejects. */
  readonly settled: Promise<RunSettlement>;
  readonly #resolve: (settlement: RunSettlement) => void;
  readonly #sequence: number;
  readonly #request: RunRequest;
  readonly #host: RunHost;
  readonly #cleanup = new DisposableStack();
  #done = false;
  #aborted: { readonly cause: AbortCause; readonly reason: unknown } | undefined;

  constructor(sequence: number, request: RunRequest, host: RunHost) {
    const { promise, resolve } = Promise.withResolvers<RunSettlement>();
    this.settled = promise;
    this.#resolve = resolve;
    this.#sequence = sequence;
    this.#request = request;
    this.#host = host;
  }

  /** Tells the worker to run. */
  start(): void {
    const { runId, attempt, input, timeout, signal, gracePeriod } = this.#request;
    const { clock, task } = this.#host;
    const deadline = timeout === undefined ? undefined : clock.now() + timeout;
    try {
      this.#host.post({
        type: "leash:run",
        sequence: this.#sequence,
        runId,
        attempt,
        deadline,
        call: undefined,
        inputs: [input],
      });
    } catch (cause) {
      const error = new TypeError(`Cannot send the input of task "${task}": it cannot be cloned`, {
        cause,
      });
      return this.#settle({ kind: "failed", error });
    }
    if (timeout !== undefined) {
      this.#cleanup.use(clock.setTimer(() => {
        const message = `Run ${runId} did not end within its timeout of ${timeout} ms`;
        this.abort("timeout", new DOMException(message, "TimeoutError"), gracePeriod);
      }, timeout));
    }
    this.#cleanup.use(onAbort(signal, (reason) => this.abort("signal", reason, gracePeriod)));
  }

  /** Tells the worker that the run must stop, and kills it when it does not. Only once. */
  abort(cause: AbortCause, reason: unknown, gracePeriod: number): void {
    if (this.#done || this.#aborted !== undefined) return;
    this.#aborted = { cause, reason };
    const encoded = encodeThrown(reason);
    this.#host.control.abortRun(this.#sequence, encoded);
    this.#host.post({ type: "leash:abort", sequence: this.#sequence, reason: encoded });
    this.limitGrace(gracePeriod);
  }

  /** The run has this long from now, or less if that was said before. */
  limitGrace(gracePeriod: number): void {
    if (this.#done) return;
    if (gracePeriod <= 0) return void this.#kill();
    this.#cleanup.use(this.#host.clock.setTimer(() => void this.#kill(), gracePeriod));
  }

  /** Takes a message of the worker. Those of earlier runs are for nobody. */
  receive(message: Extract<FromWorker, { sequence: number }>): void {
    if (message.sequence !== this.#sequence) return;
    switch (message.type) {
      case "leash:progress":
        return this.#request.onProgress?.(message.done, message.total);
      case "leash:log":
        return this.#request.onLog?.(message.level, message.message, message.data);
      case "leash:results":
        return this.#settle(
          this.#aborted
            ? { kind: "aborted", ...this.#aborted, ending: "returned" }
            : { kind: "completed", value: message.values[0] },
        );
      case "leash:skipped":
        return this.#settle({ kind: "aborted", ...this.#aborted!, ending: "not-started" });
      case "leash:failed": {
        const error = decodeThrown(message.error);
        return this.#settle(
          this.#aborted
            ? { kind: "aborted", ...this.#aborted, ending: "threw", error }
            : { kind: "failed", error },
        );
      }
    }
  }

  /** The worker ended under the run. */
  crash(error: WorkerCrashedError): void {
    this.#settle({ kind: "crashed", error });
  }

  async #kill(): Promise<void> {
    const end = await this.#host.kill();
    this.#settle({
      kind: "aborted",
      ...this.#aborted!,
      ending: end === "dead" ? "killed" : "stuck",
    });
  }

  #settle(settlement: RunSettlement): void {
    this.#done = true;
    this.#cleanup.dispose();
    this.#resolve(settlement);
  }
}
