import type { Clock } from "../base/clock.ts";
import type { WorkerCrashedError } from "../base/errors.ts";
import { onAbort } from "../base/on_abort.ts";
import { decodeThrown, type EncodedValue, encodeThrown } from "../protocol/error_codec.ts";
import type { FromWorker } from "../protocol/messages.ts";
import type { Queued } from "./_run_queue.ts";
import type { AbortCause, RunRequest, RunSettlement } from "./run.ts";

/** Who has the job now, and what a job needs of it. */
export interface JobHolder {
  /**
   * The job is aborted: tells the worker.
   *
   * @returns Whether the job may have begun. If not, it never will.
   */
  tellAbort(job: Job, reason: EncodedValue): boolean;
  /** The job did not end in time: ends the worker, and says whether that worked. */
  kill(): Promise<"dead" | "stuck">;
  /** The job has settled. */
  settled(job: Job): void;
}

/** One run on its way: in the queue, in a worker, back in the queue, until it settles, once. */
export class Job implements Queued {
  readonly request: RunRequest;
  readonly priority: number;
  /** Whether it has settled. */
  done = false;
  key = 0;
  /** Its number in the worker that has it. */
  sequence = 0;
  /** When its time is over, in milliseconds since the epoch. */
  deadline: number | undefined;
  readonly #clock: Clock;
  readonly #settle: (settlement: RunSettlement) => void;
  #holder: JobHolder;
  #isSent = false;
  #isBeingKilled = false;
  #cleanup: DisposableStack | undefined;
  #aborted: { readonly cause: AbortCause; readonly reason: unknown } | undefined;

  /**
   * @param request What to run.
   * @param clock For the timeout and the grace period.
   * @param holder The queue.
   * @param settle Called once.
   */
  constructor(
    request: RunRequest,
    clock: Clock,
    holder: JobHolder,
    settle: (settlement: RunSettlement) => void,
  ) {
    this.request = request;
    this.priority = request.priority ?? 0;
    this.#clock = clock;
    this.#holder = holder;
    this.#settle = settle;
    const { signal, gracePeriod } = request;
    if (signal === undefined || signal.aborted) return;
    this.#clean.use(onAbort(signal, (reason) => this.abort("signal", reason, gracePeriod)));
  }

  /** Whether it can share a message with others that call the same function. */
  get isPlain(): boolean {
    const { runId, attempt, timeout, transfer } = this.request;
    return (runId ?? attempt ?? timeout ?? transfer) === undefined;
  }

  /**
   * Whether it must not wait in the worker behind others: its time runs from the moment it is sent,
   * somebody is told that it has begun, or what was moved to one worker cannot be sent to another.
   */
  get mustBeginAtOnce(): boolean {
    const { timeout, onStart, transfer } = this.request;
    return (timeout ?? onStart ?? transfer) !== undefined;
  }

  /** Whether it can still be given to another worker. */
  get canMove(): boolean {
    return !this.done && !this.isAborted && this.request.transfer === undefined;
  }

  /** It goes to a worker, or back to the queue. */
  moveTo(holder: JobHolder, sequence: number): void {
    this.#holder = holder;
    this.sequence = sequence;
    this.#isSent = false;
  }

  /** It was sent: its time runs. */
  sent(worker: string): void {
    const { timeout, runId, gracePeriod } = this.request;
    if (this.#isSent) return;
    this.#isSent = true;
    this.request.onStart?.(worker);
    if (timeout === undefined || this.done) return;
    this.deadline = this.#clock.now() + timeout;
    this.#clean.use(this.#clock.setTimer(() => {
      const what = runId === undefined ? "The run" : `Run ${runId}`;
      const message = `${what} did not end within its timeout of ${timeout} ms`;
      this.abort("timeout", new DOMException(message, "TimeoutError"), gracePeriod);
    }, timeout));
  }

  /** It must stop; it is killed with its worker when it does not. Only once. */
  abort(cause: AbortCause, reason: unknown, gracePeriod: number): void {
    if (this.done || this.#aborted !== undefined) return;
    this.#aborted = { cause, reason };
    if (this.#holder.tellAbort(this, encodeThrown(reason))) this.limitGrace(gracePeriod);
    else this.skipped();
  }

  /** Once aborted, it has this long from now, or less if that was said before. */
  limitGrace(gracePeriod: number): void {
    if (this.done) return;
    if (gracePeriod <= 0) return void this.#kill();
    this.#clean.use(this.#clock.setTimer(() => void this.#kill(), gracePeriod));
  }

  /** Takes what the task says on its way. */
  receive(message: Extract<FromWorker, { type: "leash:progress" | "leash:log" }>): void {
    if (message.type === "leash:progress") this.request.onProgress?.(message.done, message.total);
    else this.request.onLog?.(message.level, message.message, message.data);
  }

  /** The task returned. */
  completed(value: unknown): void {
    this.#end(
      this.#aborted
        ? { kind: "aborted", ...this.#aborted, ending: "returned" }
        : { kind: "completed", value },
    );
  }

  /** The task threw. */
  failed(thrown: EncodedValue): void {
    this.failedWith(decodeThrown(thrown));
  }

  /** The task threw, or could not be called. */
  failedWith(error: unknown): void {
    this.#end(
      this.#aborted
        ? { kind: "aborted", ...this.#aborted, ending: "threw", error }
        : { kind: "failed", error },
    );
  }

  /** The worker ended under it. */
  crashed(error: WorkerCrashedError): void {
    this.#end({ kind: "crashed", error });
  }

  /** It was aborted, and will not begin. */
  skipped(): void {
    this.#end({ kind: "aborted", ...this.#aborted!, ending: "not-started" });
  }

  /** Whether it has been told to stop. */
  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  /** Whether its worker is being ended because of it: it then settles by itself. */
  get isBeingKilled(): boolean {
    return this.#isBeingKilled;
  }

  async #kill(): Promise<void> {
    this.#isBeingKilled = true;
    const end = await this.#holder.kill();
    this.#end({ kind: "aborted", ...this.#aborted!, ending: end === "dead" ? "killed" : "stuck" });
  }

  get #clean(): DisposableStack {
    return this.#cleanup ??= new DisposableStack();
  }

  #end(settlement: RunSettlement): void {
    if (this.done) return;
    this.done = true;
    this.#cleanup?.dispose();
    this.#holder.settled(this);
    this.#settle(settlement);
  }
}
