/**
 * Something that lives as long as its scheduler: a `Controller`, a `WorkerPool`, a server of your own.
 */
export interface OwnedService {
  /** What it is called; unique among the tasks and services of the scheduler. */
  readonly name: string;
  /** Settles when it has stopped, also by itself. */
  readonly finished: Promise<unknown>;
  /**
   * Stops it, and resolves when it has stopped. Several calls join each other, and a later one can make
   * the grace period shorter.
   *
   * @param options How long it may take, in milliseconds, and why it has to stop.
   */
  close(options: { gracePeriod: number; reason: unknown }): Promise<unknown>;
}
