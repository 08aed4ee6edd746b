import type { Clock } from "../base/clock.ts";
import type { EventSink } from "../base/events.ts";
import type { WorkerEvent } from "./events.ts";
import type { Job } from "./job.ts";
import type { WorkerPermissions } from "./permissions.ts";
import type { TransportKind } from "./transport.ts";

/**
 * Where a worker is in its life:
 *
 * launching → loading → idle ⇄ running → stopping → dead, or stuck and perhaps dead later.
 * Any state can go to stopping.
 */
export type WorkerState =
  | "launching"
  | "loading"
  | "idle"
  | "running"
  | "stopping"
  | "dead"
  | "stuck";

/** How to make a worker. */
export interface WorkerHandleOptions {
  /** The URL of the task module. */
  readonly module: string;
  readonly task: string;
  readonly transport: TransportKind;
  readonly permissions: WorkerPermissions | undefined;
  /** The most memory that its heap may take, in bytes. */
  readonly memoryLimit: number | undefined;
  /** Further flags of `deno run`, for a process. */
  readonly denoFlags?: readonly string[] | undefined;
  /** How long loading may take, in milliseconds. */
  readonly readyTimeout: number;
  /** How long to look for the death of a terminated worker that did not answer, in milliseconds. */
  readonly killTimeout: number;
  readonly clock: Clock;
  readonly onEvent: EventSink<WorkerEvent>;
  /** How many runs are under way at once. */
  readonly concurrency: number;
  /** Whether the module must have a default export, or any function will do. */
  readonly needsDefault: boolean;
  /** How often the worker shows that its event loop lives, in milliseconds; 0: not at all. */
  readonly beatInterval: number;
  /** Whether results are to say how large the heap is. */
  readonly reportsHeap: boolean;
  /** The worker is dead, or known to be stuck, or dead after having been stuck. */
  onEnd(): void;
  /** It can take further runs. */
  onFree(): void;
  /** It was given these and will not begin them. */
  onGiveBack(jobs: Job[]): void;
}
