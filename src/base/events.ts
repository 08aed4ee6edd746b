import { report } from "./report.ts";

const listeners = new Set<() => void>();

/**
 * Calls `listener` after each event that any part of Leash has given to its sink.
 *
 * @param listener It must not throw.
 * @returns Dispose it to hear no more.
 */
export function onAnyEvent(listener: () => void): Disposable {
  listeners.add(listener);
  return { [Symbol.dispose]: () => void listeners.delete(listener) };
}

/** Receives what happens below, one event at a time. */
export type EventSink<Event> = (event: Event) => void;

/**
 * Makes a sink that cannot hurt whoever calls it: an exception, or the rejection of an async sink,
 * goes to stderr.
 *
 * @param sink The user's function, or nothing.
 * @returns A function that never throws.
 */
export function guardSink<Event>(sink: EventSink<Event> | undefined): EventSink<Event> {
  const failed = (error: unknown): void => report("the onEvent sink threw", error);
  return (event) => {
    try {
      const result: unknown = sink?.(event);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
    for (const listener of listeners) listener();
  };
}
