import type { RunMessage } from "../protocol/messages.ts";

/** One run, out of a message of one or of many. */
export interface IncomingRun {
  readonly sequence: number;
  readonly input: unknown;
  readonly runId: string | undefined;
  readonly attempt: number;
  readonly deadline: number | undefined;
  readonly call: string | undefined;
}

/** Runs that the worker was given and has not begun, in order. */
export class Inbox {
  #messages: RunMessage[] = [];
  /** Where in the first message it is. */
  #index = 0;

  /** Whether there is nothing to begin. */
  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** Adds the runs of a message. */
  push(message: RunMessage): void {
    this.#messages.push(message);
  }

  /** Takes out the next one. Only when there is one. */
  shift(): IncomingRun {
    const message = this.#messages[0]!;
    const index = this.#index++;
    if (this.#index === message.inputs.length) {
      this.#messages.shift();
      this.#index = 0;
    }
    const { runId, attempt = 1, deadline, call } = message;
    const sequence = message.sequence + index;
    return { sequence, input: message.inputs[index], runId, attempt, deadline, call };
  }
}
