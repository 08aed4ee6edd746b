import type { FromWorker, ToWorker } from "../protocol/messages.ts";
import type { Isolation } from "./isolation.ts";
import type { WorkerPermissions } from "./permissions.ts";

/** What every transport needs to start a worker. */
export interface Launch {
  /** The URL of the task module. */
  readonly module: string;
  /** The worker's name, as it stands in stack traces. */
  readonly name: string;
  /** The name of the lock that is held as long as the worker lives. */
  readonly lock: string;
  /** What the worker may do; `undefined`: what its parent may do. */
  readonly permissions: WorkerPermissions | undefined;
  /** The most memory that its JavaScript heap may take, in bytes; `undefined`: no limit of ours. */
  readonly memoryLimit: number | undefined;
  /** Further flags of `deno run`, for a process. */
  readonly denoFlags?: readonly string[] | undefined;
}

/** How a worker died, as far as the transport can tell. */
export interface Death {
  /** As the end of a sentence, when the worker ended by itself. */
  readonly how?: string;
  /** It needed more memory than it may have. */
  readonly outOfMemory?: boolean;
}

/** What a transport calls, beginning in the turn after it was made. */
export interface TransportHandlers {
  /** The worker sent a message. */
  message(message: FromWorker): void;
  /** The worker sent something that is not of Leash's protocol. */
  foreignMessage(data: unknown): void;
  /** The platform reported an error that the runtime did not: the worker is dead or dying. */
  error(error: Error): void;
  /** The platform reported that the worker needed more memory than it may have. */
  outOfMemory(): void;
  /** The task wrote a line to a stream that is not this process's own. */
  output(stream: "stdout" | "stderr", text: string): void;
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
   * Resolves when the worker is seen to be dead. Called once, at the start.
   *
   * @param signal Abort it to give up watching: rejects with its reason.
   */
  death(signal: AbortSignal): Promise<Death>;
  /**
   * The processor time that the worker has used so far, in milliseconds, where it can be told from
   * outside; `undefined` when the worker is gone.
   */
  cpuTime?(): Promise<number | undefined>;
}

/** A way to start workers. */
export interface TransportKind {
  /** What it is called in the options of a task. */
  readonly isolation: Isolation | "inline";
  /** Whether the control block is seen by both sides. If not, a worker has one run at a time. */
  readonly sharesMemory: boolean;
  /**
   * Makes sure that this Deno can do it. Awaited before each launch, so it should remember its
   * answer.
   *
   * @throws {Error} Why it cannot, and what can.
   */
  prepare?(): Promise<void>;
  /** Starts a worker. Throws when the platform refuses to. */
  launch(launch: Launch, handlers: TransportHandlers): Transport;
}
