import type { WorkerCrashedError } from "../base/errors.ts";
import { type ControlBlock, MOST_RUNS } from "../protocol/control_block.ts";
import type { EncodedValue } from "../protocol/error_codec.ts";
import type { FromWorker, ToWorker } from "../protocol/messages.ts";
import { findUnportable } from "../protocol/portable.ts";
import { Window } from "./_window.ts";
import type { Job, JobHolder } from "./job.ts";
import type { AbortCause } from "./run.ts";

/** What the jobs of a worker need of it. */
export interface JobsHost {
  readonly worker: string;
  readonly task: string;
  readonly control: ControlBlock;
  /** Whether `control` reaches the worker. */
  readonly sharesMemory: boolean;
  /** How many runs are under way at once; further ones wait in the worker. */
  readonly concurrency: number;
  post(message: ToWorker, transfer?: Transferable[]): void;
  kill(): Promise<"dead" | "stuck">;
  /** These were not begun, and the worker will not begin them. */
  giveBack(jobs: Job[]): void;
  /** There is room for more. */
  free(): void;
}

/** The runs that a worker has: some under way, the others waiting in it for their turn. */
export class WorkerJobs implements JobHolder {
  readonly #host: JobsHost;
  readonly #jobs = new Map<number, Job>();
  readonly #window: Window;
  /** Runs that were called back, and of which the worker has not said yet that it passed them over. */
  readonly #recalled = new Set<number>();
  /** How large the worker's heap was when it last said so, in bytes. */
  heap = 0;
  #sequence = 0;
  #drained: (() => void) | undefined;
  #lastHeard = 0;

  constructor(host: JobsHost) {
    this.#host = host;
    this.#window = new Window(host.concurrency, host.sharesMemory ? MOST_RUNS / 2 : 1);
  }

  /** How many there are. */
  get size(): number {
    return this.#jobs.size;
  }

  /** How many more the worker can take. */
  get room(): number {
    return this.#recalled.size > 0 ? 0 : this.#window.size - this.#jobs.size;
  }

  /** Whether the worker would begin a further one at once. */
  get beginsAtOnce(): boolean {
    return this.#recalled.size === 0 && this.#jobs.size < this.#host.concurrency;
  }

  /** How many runs it was given in all. */
  get given(): number {
    return this.#sequence;
  }

  /** Gives the worker runs; those that are plain share a message. */
  send(jobs: readonly Job[]): void {
    if (this.#jobs.size === 0) this.#window.began(this.#lastHeard = performance.now());
    let group: Job[] = [];
    for (const job of jobs) {
      const sequence = ++this.#sequence;
      job.moveTo(this, sequence);
      this.#jobs.set(sequence, job);
      const [first] = group;
      const fits = first === undefined ||
        (job.isPlain && first.isPlain && job.request.call === first.request.call);
      if (fits) {
        group.push(job);
      } else {
        this.#post(group);
        group = [job];
      }
    }
    this.#post(group);
  }

  /** Takes a message that is about runs. */
  receive(message: Extract<FromWorker, { sequence: number }>): void {
    const { sequence } = message;
    switch (message.type) {
      case "leash:results": {
        const { values, heap } = message;
        if (heap !== undefined) this.heap = heap;
        const now = this.#lastHeard = performance.now();
        this.#window.ended(values.length, now);
        for (let index = 0; index < values.length; index++) {
          this.#jobs.get(sequence + index)?.completed(values[index]);
        }
        return this.#host.free();
      }
      case "leash:failed":
        this.#lastHeard = performance.now();
        this.#window.ended(1, this.#lastHeard);
        this.#jobs.get(sequence)?.failed(message.error);
        return this.#host.free();
      case "leash:skipped":
        return this.#skipped(sequence);
      default:
        return this.#jobs.get(sequence)?.receive(message);
    }
  }

  /** All must stop. What is under way has so long from now. */
  abortAll(cause: AbortCause, reason: unknown, gracePeriod: number): void {
    for (const job of [...this.#jobs.values()]) {
      job.abort(cause, reason, gracePeriod);
      // It may have been aborted before, with more time than is left now.
      job.limitGrace(gracePeriod);
    }
  }

  /** Those that were aborted have no longer than this from now. */
  limitGrace(gracePeriod: number): void {
    for (const job of [...this.#jobs.values()]) if (job.isAborted) job.limitGrace(gracePeriod);
  }

  /** Resolves when none is left. */
  drained(): Promise<void> {
    if (this.#jobs.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#drained;
    this.#drained = () => {
      before?.();
      resolve();
    };
    return promise;
  }

  /** How long the worker has said nothing of those that wait in it, in milliseconds. */
  silence(now: number): number {
    return this.#jobs.size > this.#host.concurrency && this.#host.sharesMemory &&
        this.#recalled.size === 0
      ? now - this.#lastHeard
      : 0;
  }

  /** Calls back what has not begun, for a worker that is free. */
  recall(): void {
    const { control } = this.#host;
    const from = control.begun + 1;
    const begun = control.recall(from);
    const back: Job[] = [];
    for (const [sequence, job] of this.#jobs) {
      if (sequence < from) continue;
      this.#recalled.add(sequence);
      // Those between may have begun just now, or have been passed over: the worker will say which.
      if (sequence > begun) back.push(job);
    }
    this.#giveBack(back);
    if (this.#recalled.size === 0) control.endRecall();
  }

  /**
   * The worker is dead, or as good as dead. What it had not begun is given back.
   *
   * @param error For those that were under way.
   */
  ended(error: WorkerCrashedError): void {
    const { control, sharesMemory } = this.#host;
    const back: Job[] = [];
    for (const [sequence, job] of [...this.#jobs]) {
      if (job.isBeingKilled) continue;
      if (sharesMemory && sequence > control.begun && job.canMove) back.push(job);
      else job.crashed(error);
    }
    this.#giveBack(back);
  }

  tellAbort(job: Job, reason: EncodedValue): boolean {
    const { control, sharesMemory, post } = this.#host;
    control.abortRun(job.sequence, reason);
    post({ type: "leash:abort", sequence: job.sequence, reason });
    return !sharesMemory || control.begun >= job.sequence;
  }

  kill(): Promise<"dead" | "stuck"> {
    return this.#host.kill();
  }

  settled(job: Job): void {
    this.#jobs.delete(job.sequence);
    if (this.#jobs.size === 0) this.#drained?.();
  }

  #skipped(sequence: number): void {
    const job = this.#jobs.get(sequence);
    if (job?.isAborted) job.skipped();
    else if (job !== undefined) this.#giveBack([job]);
    if (this.#recalled.delete(sequence) && this.#recalled.size === 0) {
      this.#host.control.endRecall();
    }
    this.#host.free();
  }

  #giveBack(jobs: Job[]): void {
    if (jobs.length === 0) return;
    for (const { sequence } of jobs) this.#jobs.delete(sequence);
    this.#host.giveBack(jobs);
    if (this.#jobs.size === 0) this.#drained?.();
  }

  #post(jobs: readonly Job[]): void {
    if (jobs.length === 0) return;
    const { request, sequence } = jobs[0]!;
    const { runId, attempt, call, timeout, transfer } = request;
    const { worker, task, post, sharesMemory } = this.#host;
    for (const job of jobs) job.sent(worker);
    try {
      post({
        type: "leash:run",
        sequence,
        inputs: jobs.map(({ request }) => request.input),
        // Each field that is not there is some 100 ns less to copy on either side.
        ...(runId === undefined ? {} : { runId }),
        ...(attempt === undefined ? {} : { attempt }),
        ...(timeout === undefined ? {} : { deadline: jobs[0]!.deadline! }),
        ...(call === undefined ? {} : { call }),
      }, transfer);
    } catch (cause) {
      // One of them spoilt it for all, and has to be found.
      if (jobs.length > 1) return jobs.forEach((job) => this.#post([job]));
      const problem = sharesMemory ? undefined : findUnportable(request.input);
      const why = problem === undefined ? "" : `: input${problem}`;
      jobs[0]!.failedWith(
        new TypeError(`Cannot send the input of task "${task}": it cannot be cloned${why}`, {
          cause,
        }),
      );
    }
  }
}
