import { report } from "./report.ts";

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
  if (sink === undefined) return () => {};
  const failed = (error: unknown): void => report("the onEvent sink threw", error);
  return (event) => {
    try {
      const result: unknown = sink(event);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
