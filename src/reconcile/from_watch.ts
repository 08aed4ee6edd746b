import { onAbort } from "../base/on_abort.ts";
import { show } from "../base/show.ts";
import { iterate, type Readable } from "./_iterate.ts";
import type { Keys, Source, SourceSink } from "./source.ts";

/** What a source reads: something that can be read again after a failure, or what makes it anew. */
export type WatchInput<Event> =
  | AsyncIterable<Event>
  | Iterable<Event>
  | ReadableStream<Event>
  | ((signal: AbortSignal) => Watched<Event> | Promise<Watched<Event>>);

/** What can be watched. */
export type Watched<Event> = AsyncIterable<Event> | Iterable<Event> | ReadableStream<Event>;

/** Which keys an event is about: one, several or none. */
export type EventKeys = string | Iterable<string> | undefined;

/** What {@linkcode fromWatch} does with events. */
export interface FromWatchOptions<Event> {
  /** What it is called. Default: `"watch"`. */
  name?: string;
  /** The keys of an event. Each is added once for each event. Default: the event is the key. */
  keys?: (event: Event) => EventKeys;
  /** Only events for which it returns `true` count. Default: all. */
  where?: (event: Event) => boolean;
  /**
   * All keys that there are at the beginning. They are asked for when the watch is open, so that nothing
   * is lost between; also for the resync of the controller. Default: none, and the source is synced at
   * once.
   */
  list?: (signal: AbortSignal) => Keys | Promise<Keys>;
  /** Higher comes first. Default: 0. */
  priority?: number;
}

/**
 * Keys from anything that can be read one by one: an async iterable, a `ReadableStream`, the generator
 * of a client library.
 *
 * When reading fails, it is begun anew after a while, with `list` first. So give a function that opens it,
 * unless what you give can be read twice.
 *
 * @param input What to read, or a function that opens it. Its signal aborts when the source ends.
 * @param options What the events mean.
 * @returns For the `sources` of a controller.
 *
 * @example
 * ```ts
 * import { Controller, fromWatch } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * async function* changes() {
 *   yield { volume: "a", size: 1 };
 *   yield { volume: "b", size: 0 };
 * }
 * const owner = new AbortController();
 * const mended: string[] = [];
 * await using controller = new Controller("data:text/javascript,export default () => {}", {
 *   signal: owner.signal,
 *   sources: [fromWatch(changes, { keys: ({ volume }) => volume, where: ({ size }) => size > 0 })],
 *   onEvent: (event) => event.type === "reconcile-ended" && mended.push(event.run.key),
 * });
 * await controller.synced;
 * await controller.trigger("c");
 * assertEquals(mended.includes("b"), false);
 * ```
 */
export function fromWatch<Event = string>(
  input: WatchInput<Event>,
  options: FromWatchOptions<Event> = {},
): Source {
  const { name = "watch", where = () => true, list, priority } = options;
  const keys = options.keys ?? asKey(name);
  let isRead = false;
  const run = async (sink: SourceSink, owner: AbortSignal): Promise<void> => {
    // Whatever this attempt opens is closed with it, also when it fails half-way.
    const attempt = new AbortController();
    using _listening = onAbort(owner, (reason) => attempt.abort(reason));
    const { signal } = attempt;
    const opened = async (): Promise<void> => {
      if (list !== undefined) await iterate(await list(signal), signal, (key) => sink.add(key));
      sink.synced();
    };
    try {
      if (isRead && isReadOnce(input)) {
        throw new TypeError(
          `Cannot read source "${name}" again: it can be read only once: give a function that opens it`,
        );
      }
      isRead = true;
      const items: Readable<Event> = typeof input === "function" ? await input(signal) : input;
      await iterate(items, signal, (event) => {
        if (where(event)) addEach(sink, keys(event), priority);
      }, opened);
    } finally {
      attempt.abort(new DOMException(`Source "${name}" has ended`, "AbortError"));
    }
  };
  return list === undefined ? { name, run } : { name, run, list };
}

/**
 * A generator or a stream: after a failure it would end in silence, whatever was still to come. What has
 * no `return` was not told of the failure, and goes on.
 */
function isReadOnce(input: unknown): boolean {
  const { next, return: end } = input as { next?: unknown; return?: unknown };
  return input instanceof ReadableStream ||
    (typeof next === "function" && typeof end === "function");
}

function addEach(sink: SourceSink, keys: EventKeys, priority: number | undefined): void {
  if (keys === undefined) return;
  const options = priority === undefined ? {} : { priority };
  for (const key of typeof keys === "string" ? [keys] : new Set(keys)) sink.add(key, options);
}

function asKey(name: string): (event: unknown) => string {
  return (event) => {
    if (typeof event === "string") return event;
    throw new TypeError(
      `Cannot use an event of source "${name}": expected a string, or the option keys: received ` +
        show(event),
    );
  };
}
