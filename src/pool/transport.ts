import type { FromWorker, ToWorker } from "../protocol/messages.ts";
import type { WorkerPermissions } from "./permissions.ts";

/** What every transport needs to start a worker. */
export interface Launch {
  /** The URL of the task module. */
  readonly module: string;
  /** The worker's name, as it stands in stack traces. */
  readonly name: string;
  /** The name of the lock that the worker holds as long as it lives. */
  readonly lock: string;
  /** What the worker may do; `undefined`: what its parent may do. */
  readonly permissions: WorkerPermissions | undefined;
}

/** What a transport calls, beginning in the turn after it was made. */
export interface TransportHandlers {
  /** The worker sent a message. */
  message(message: FromWorker): void;
  /** The worker sent something that is not of Leash's protocol. */
  foreignMessage(data: unknown): void;
  /** The platform reported an error that the runtime did not: the worker is dead or dying. */
  error(error: Error): void;
}

/**
 * One way to run a worker. A transport moves messages and ends the worker; when to do so is decided
 * by the `WorkerHandle`, which is the same for all.
 */
export interface Transport {
  /** Sends a message; messages arrive in order. Throws when it cannot be cloned. */
  post(message: ToWorker, transfer?: Transferable[]): void;
  /** Asks the platform to end the worker. Returns at once and proves nothing. */
  terminate(): void;
  /**
   * Resolves when the worker is seen to be dead. Only after `leash:hello`.
   *
   * @param signal Abort it to give up watching: rejects with its reason.
   */
  death(signal: AbortSignal): Promise<void>;
}

/** Starts a worker. Throws when the platform refuses to. */
export type TransportFactory = (launch: Launch, handlers: TransportHandlers) => Transport;
