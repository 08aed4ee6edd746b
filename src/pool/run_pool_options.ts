import type { Clock } from "../base/clock.ts";
import type { EventSink } from "../base/events.ts";
import type { WorkerEvent } from "./events.ts";
import type { WorkerPermissions } from "./permissions.ts";
import type { TransportKind } from "./transport.ts";

/** How to make a pool. Times are in milliseconds. */
export interface RunPoolOptions {
  /** The URL of the task module. */
  readonly module: string;
  /** The task that the workers are for. */
  readonly task: string;
  readonly transport: TransportKind;
  readonly permissions: WorkerPermissions | undefined;
  /** The most memory that the heap of a worker may take, in bytes. */
  readonly memoryLimit: number | undefined;
  /** Further flags of `deno run`, for processes. */
  readonly denoFlags?: readonly string[] | undefined;
  /** So many workers are made at the start, and kept when they have nothing to do. */
  readonly minWorkers: number;
  /** The most workers that live at once, beside stuck ones. */
  readonly maxWorkers: number;
  /** How many runs are under way at once in one worker. */
  readonly concurrency: number;
  /** How long a worker is kept with nothing to do. */
  readonly idleTimeout: number;
  /** After so many runs a worker is replaced. */
  readonly maxRunsPerWorker: number;
  /** After so long a life a worker is replaced. */
  readonly maxWorkerAge: number;
  /** With a heap of more bytes than this a worker is replaced. */
  readonly maxWorkerHeap: number;
  /** Whether the module must have a default export, or any function will do. */
  readonly needsDefault: boolean;
  /** How often a worker shows that its event loop lives; 0: not at all. */
  readonly beatInterval: number;
  readonly readyTimeout: number;
  readonly killTimeout: number;
  readonly clock: Clock;
  readonly onEvent: EventSink<WorkerEvent>;
}
