import { type Duration, toMilliseconds } from "../base/duration.ts";
import { formatDuration } from "../base/format_duration.ts";
import { report } from "../base/report.ts";
import { liveWorkers } from "../pool/live_workers.ts";

/** How {@linkcode shutdownSignal} ends the process. */
export interface ShutdownSignalOptions {
  /** The signals of the operating system to listen for. Default: SIGINT and SIGTERM. */
  signals?: Deno.Signal[];
  /**
   * How long after the first signal workers may live. Give more than the scheduler's grace period and
   * less than what the machine gives the process (Kubernetes: 30 seconds). Default: 15 seconds.
   */
  gracePeriod?: Duration;
}

/** Exit codes of a process that a signal ended are 128 and the signal's number. */
const NUMBERS: Partial<Record<Deno.Signal, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/**
 * An AbortSignal that aborts when the process is told to end: the root owner of a program.
 *
 * The process ends by itself once everything that it owned is gone. It is ended when it cannot: by a
 * second signal, or when workers are alive after the grace period, because they never yield. Then
 * one line on stderr says why, and the exit code is not 0.
 *
 * It does not keep the process alive. Dispose it to stop listening; once a signal has come, that
 * changes nothing any more.
 *
 * @param options Which signals, and how long to wait.
 * @returns The signal; its reason names the signal that came.
 *
 * @example
 * ```ts
 * import { Scheduler, shutdownSignal } from "@leash/leash";
 *
 * using signal = shutdownSignal();
 * await using scheduler = new Scheduler({ signal });
 * ```
 */
export function shutdownSignal(options: ShutdownSignalOptions = {}): AbortSignal & Disposable {
  const gracePeriod = toMilliseconds(options.gracePeriod ?? 15_000, "gracePeriod");
  const controller = new AbortController();
  const cleanup = new DisposableStack();

  const received = (name: Deno.Signal): void => {
    if (controller.signal.aborted) {
      report(`received ${name} again: exiting without waiting any longer`);
      Deno.exit(128 + (NUMBERS[name] ?? 0));
    }
    // From here on the process ends, whoever disposes of what: a program that has left the scope of
    // the signal is the very one that may be kept alive by a worker.
    const timer = setTimeout(() => void exitIfStuck(gracePeriod), gracePeriod);
    Deno.unrefTimer(timer as unknown as number);
    controller.abort(new DOMException(`Received ${name}`, "AbortError"));
  };

  for (const name of options.signals ?? ["SIGINT", "SIGTERM"] as const) {
    const listener = (): void => received(name);
    try {
      Deno.addSignalListener(name, listener);
    } catch (error) {
      // Windows does not know all of them. Asked for by name, that is an error.
      if (options.signals !== undefined) throw error;
      continue;
    }
    cleanup.defer(() => Deno.removeSignalListener(name, listener));
  }
  return Object.defineProperty(controller.signal, Symbol.dispose, {
    value: () => {
      if (!controller.signal.aborted) cleanup.dispose();
    },
  }) as AbortSignal & Disposable;
}

async function exitIfStuck(gracePeriod: number): Promise<void> {
  const alive = await liveWorkers();
  if (alive.length === 0) return;
  report(
    `exiting: alive ${formatDuration(gracePeriod)} after the signal to end: ` +
      alive.map(({ worker }) => worker).join(", "),
  );
  Deno.exit(1);
}
