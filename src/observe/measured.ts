import type { WorkerSnapshot } from "../pool/run_pool.ts";
import type { ControllerStats, RunningKey } from "../reconcile/controller_status.ts";
import type { TaskStats } from "../scheduler/task_stats.ts";

/** A task, as a `Scheduler` lists it. */
export interface MeasuredTask {
  /** Its name. */
  readonly name: string;
  /** When it is due next, in milliseconds since the epoch. */
  readonly nextDue: number | undefined;
  /** What is known of its runs. */
  readonly stats: TaskStats;
  /** Its workers that live. */
  readonly workers: readonly WorkerSnapshot[];
}

/** A `WorkerPool`. */
export interface MeasuredPool {
  /** Its name. */
  readonly name: string;
  /** How many runs wait for a worker. */
  readonly queued: number;
  /** How many runs workers have. */
  readonly running: number;
  /** Its workers that live. */
  readonly workers: readonly WorkerSnapshot[];
}

/** A `Controller`. */
export interface MeasuredController {
  /** Its name. */
  readonly name: string;
  /** How many keys wait for their turn. */
  readonly queued: number;
  /** The keys that are being reconciled. */
  readonly running: readonly RunningKey[];
  /** What has happened so far. */
  readonly stats: ControllerStats;
  /** Its workers that live. */
  readonly workers: readonly WorkerSnapshot[];
}

/** A `Scheduler`. */
export interface MeasuredScheduler {
  /** Its tasks. */
  readonly tasks: readonly MeasuredTask[];
  /** What it owns beside them. Pools and controllers are measured, others are left out. */
  readonly services?: readonly object[];
}

/** What can be measured. */
export type MetricsSource = MeasuredScheduler | MeasuredPool | MeasuredController;

/** What there is to measure, once each, sorted by kind. */
export interface Measured {
  readonly tasks: MeasuredTask[];
  readonly pools: MeasuredPool[];
  readonly controllers: MeasuredController[];
}

/** Looks into schedulers. A pool that is given beside its scheduler counts once. */
export function sortOut(sources: readonly MetricsSource[]): Measured {
  const all = new Set<object>(sources);
  for (const source of sources) {
    if (!("tasks" in source)) continue;
    for (const service of source.services ?? []) all.add(service);
  }
  const measured: Measured = { tasks: [], pools: [], controllers: [] };
  for (const source of all) {
    if ("tasks" in source) measured.tasks.push(...(source as MeasuredScheduler).tasks);
    else if (isController(source)) measured.controllers.push(source);
    else if (isPool(source)) measured.pools.push(source);
  }
  return measured;
}

function isController(source: object): source is MeasuredController {
  const { running, stats } = source as Partial<MeasuredController>;
  return Array.isArray(running) && typeof stats === "object";
}

function isPool(source: object): source is MeasuredPool {
  const { running, queued, workers } = source as Partial<MeasuredPool>;
  return typeof running === "number" && typeof queued === "number" && Array.isArray(workers);
}
