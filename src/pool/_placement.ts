import type { Job } from "./job.ts";
import type { RunQueue } from "./_run_queue.ts";
import type { WorkerHandle } from "./worker_handle.ts";

/** Which worker of a pool gets which of the jobs that wait. */
export class Placement {
  readonly #handles: ReadonlySet<WorkerHandle>;
  readonly #queue: RunQueue<Job>;
  readonly #maxRuns: number;

  /** @param maxRuns How many jobs a worker may be given in its life. */
  constructor(handles: ReadonlySet<WorkerHandle>, queue: RunQueue<Job>, maxRuns: number) {
    this.#handles = handles;
    this.#queue = queue;
    this.#maxRuns = maxRuns;
  }

  /** Whoever has the least to do and can take the job. */
  freest(job: Job): WorkerHandle | undefined {
    let freest: WorkerHandle | undefined;
    for (const handle of this.#handles) {
      if (!this.#canTake(handle, job)) continue;
      if (freest === undefined || handle.jobs.size < freest.jobs.size) freest = handle;
    }
    return freest;
  }

  /** Takes as many as the worker has room for, but no more than its share of all that wait. */
  takeFor({ jobs }: WorkerHandle): Job[] {
    const queue = this.#queue;
    const share = Math.ceil(queue.size / this.#handles.size);
    const most = Math.min(jobs.room, share, this.#maxRuns - jobs.given);
    const taken = [queue.shift()!];
    while (taken.length < most) {
      const next = queue.peek();
      if (next === undefined || next.mustBeginAtOnce) break;
      taken.push(queue.shift()!);
    }
    return taken;
  }

  /** Whether a worker has nothing to do while another one does not begin what it was given. */
  isUneven(): boolean {
    const handles = [...this.#handles];
    // Most times nobody is free, and the clock is not asked.
    if (!handles.some(({ state }) => state === "idle")) return false;
    const now = performance.now();
    return handles.some(({ jobs }) => jobs.silence(now) > 0);
  }

  #canTake({ state, jobs }: WorkerHandle, job: Job): boolean {
    if (state !== "idle" && state !== "running") return false;
    if (jobs.given >= this.#maxRuns) return false;
    return job.mustBeginAtOnce ? jobs.beginsAtOnce : jobs.room > 0;
  }
}
