/**
 * What a worker and its parent say to each other. Every message is plain data, and its type starts
 * with `leash:` so that it cannot be taken for a message of the task's own.
 *
 * @module
 */

import type { EncodedValue } from "./error_codec.ts";

/** Run the task once for each input. */
export interface RunMessage {
  type: "leash:run";
  /** Of the first run; those after it count up. Numbers count up within one worker. */
  sequence: number;
  inputs: unknown[];
  /** What the tasks sees as `ctx.runId`; without it, the worker's name and the number. */
  runId?: string;
  /** Default: 1. */
  attempt?: number;
  /** Milliseconds since the epoch. */
  deadline?: number;
  /** The export to call; without it, the default export. */
  call?: string;
}

/** The first message to a worker. Nothing is run before it. */
export interface InitMessage {
  type: "leash:init";
  /** The worker's name. */
  worker: string;
  /** The name of the task. */
  task: string;
  /** Memory of a `ControlBlock`, where the isolation has shared memory. */
  control: SharedArrayBuffer | undefined;
  /** How many runs may be under way at once; further ones wait in the worker. */
  concurrency: number;
  /** Whether the module must have a default export, or any function will do. */
  needsDefault: boolean;
  /** How often the worker shows that its event loop lives, in milliseconds; 0: not at all. */
  beatInterval: number;
  /** Whether results are to say how large the heap is. */
  reportsHeap: boolean;
}

/** Parent → worker. */
export type ToWorker =
  | InitMessage
  | RunMessage
  | { type: "leash:abort"; sequence: number; reason: EncodedValue }
  | { type: "leash:stop"; reason: EncodedValue };

/** The level of a log record. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Worker → parent. */
export type FromWorker =
  /** The worker holds its lock and is about to load the task module. */
  | { type: "leash:hello" }
  | { type: "leash:ready" }
  | { type: "leash:load-failed"; reason: string; error?: EncodedValue | undefined }
  | { type: "leash:progress"; sequence: number; done: number; total: number | undefined }
  | { type: "leash:log"; sequence: number; level: LogLevel; message: string; data?: unknown }
  /** Results of runs that follow one another; `sequence` is that of the first. */
  | { type: "leash:results"; sequence: number; values: unknown[]; heap?: number }
  | { type: "leash:failed"; sequence: number; error: EncodedValue }
  /** The run was not begun: it was recalled, or aborted before. */
  | { type: "leash:skipped"; sequence: number }
  /** Answers `leash:stop` at once: the event loop of the worker is alive. */
  | { type: "leash:stopping" }
  /** No run is left in the worker. */
  | { type: "leash:stopped" }
  /** An error that no code of the task caught. */
  | { type: "leash:uncaught"; error: EncodedValue }
  /** Where no memory is shared: a sign of life. */
  | { type: "leash:beat" }
  /** The heap has been at its limit, and what ran then was ended without a word. */
  | { type: "leash:out-of-memory" }
  /** The task is about to end its own worker. */
  | { type: "leash:exiting"; how: string };

/** Whether a message from the other side is one of ours. */
export function isMessage(data: unknown): data is { type: string } {
  const type = (data as { type?: unknown } | null | undefined)?.type;
  return typeof type === "string" && type.startsWith("leash:");
}
