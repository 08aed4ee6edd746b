/**
 * What a worker and its parent say to each other. Every message is plain data, and its type starts
 * with `leash:` so that it cannot be taken for a message of the task's own.
 *
 * @module
 */

import type { EncodedValue } from "./error_codec.ts";

/** Parent → worker. */
export type ToWorker =
  | {
    /** The first message. Nothing is loaded before it. */
    type: "leash:init";
    /** The worker's name. */
    worker: string;
    /** The name of the task. */
    task: string;
    /** Memory of a `ControlBlock`, where the isolation has shared memory. */
    control: SharedArrayBuffer;
  }
  | {
    /** Run the task once. */
    type: "leash:run";
    /** Counts up within one worker. */
    sequence: number;
    runId: string;
    attempt: number;
    /** Milliseconds since the epoch. */
    deadline: number | undefined;
    input: unknown;
  }
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
  | { type: "leash:result"; sequence: number; value: unknown }
  | { type: "leash:failed"; sequence: number; error: EncodedValue }
  /** Answers `leash:stop` at once: the event loop of the worker is alive. */
  | { type: "leash:stopping" }
  /** No run is left in the worker. */
  | { type: "leash:stopped" }
  /** An error that no code of the task caught. */
  | { type: "leash:uncaught"; error: EncodedValue }
  /** The task is about to end its own worker. */
  | { type: "leash:exiting"; how: string };

/** Whether a message from the other side is one of ours. */
export function isMessage(data: unknown): data is { type: string } {
  const type = (data as { type?: unknown } | null | undefined)?.type;
  return typeof type === "string" && type.startsWith("leash:");
}
