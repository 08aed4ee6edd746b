import { type StuckWorker, StuckWorkerError } from "../base/errors.ts";
import type { OwnedService } from "./owned_service.ts";

/** What a scheduler stops at its end: a task, or a service that it owns. */
export interface Part {
  readonly name: string;
  /** Whether others that it may need must not be stopped before it. */
  readonly busy: boolean;
  /** Nothing new begins. */
  halt(reason: unknown): void;
  /** Whatever is stopping has no longer than this from now. */
  limitGrace(gracePeriod: number): void;
  /** Stops it; resolves with the workers that live on. */
  stop(reason: unknown, gracePeriod: number): Promise<StuckWorker[]>;
}

/** A service as a part of its scheduler. */
export class Owned implements Part {
  readonly service: OwnedService;
  /** A service may need what was added before it for as long as it lives. */
  readonly busy = true;
  /** Why it could not be stopped, beside stuck workers. */
  error: { readonly value: unknown } | undefined;
  readonly #controller: AbortController;
  #reason: unknown;
  #isStopping = false;

  /**
   * @param service What it is.
   * @param controller Of the signal that it was made with.
   */
  constructor(service: OwnedService, controller: AbortController) {
    this.service = service;
    this.#controller = controller;
  }

  get name(): string {
    return this.service.name;
  }

  halt(): void {}

  limitGrace(gracePeriod: number): void {
    if (!this.#isStopping) return;
    // The first call reports how it ends.
    this.#close(gracePeriod).catch(() => {});
  }

  async stop(reason: unknown, gracePeriod: number): Promise<StuckWorker[]> {
    this.#isStopping = true;
    this.#reason = reason;
    try {
      await this.#close(gracePeriod);
      await this.service.finished;
    } catch (error) {
      if (error instanceof StuckWorkerError) return [...error.workers];
      if (error !== reason) this.error = { value: error };
    } finally {
      // Only now: before, it would take from the service the time that it has.
      this.#controller.abort(reason);
    }
    return [];
  }

  // deno-lint-ignore require-await -- what is wrong with it must not keep others from stopping
  async #close(gracePeriod: number): Promise<unknown> {
    return this.service.close({ gracePeriod, reason: this.#reason });
  }
}
