import { type EventKeys, fromWatch, type WatchInput } from "./from_watch.ts";
import type { Keys, Source } from "./source.ts";

/** An object that has changed: without `before` it is new, without `after` it is gone. */
export interface Change<Item> {
  /** How it was. */
  readonly before?: Item | undefined;
  /** How it is now. */
  readonly after?: Item | undefined;
}

/** What {@linkcode fromChanges} does with changes. */
export interface FromChangesOptions<Item> {
  /** What it is called. Default: `"changes"`. */
  name?: string;
  /**
   * The keys that an object is about. It is asked for how it was and for how it is, so what has moved from
   * one key to another adds both; each is added once for each change.
   */
  keys: (item: Item) => EventKeys;
  /** Only changes for which it returns `true` count. Default: all. */
  where?: (change: Change<Item>) => boolean;
  /** All keys that there are at the beginning, as of `fromWatch()`. */
  list?: (signal: AbortSignal) => Keys | Promise<Keys>;
  /** Higher comes first. Default: 0. */
  priority?: number;
}

/**
 * Keys from changes of objects that belong to something: the pods of a set, the files of a project. The
 * keys are those of what they belong to, before and after the change.
 *
 * @param input What to read, or a function that opens it, as of `fromWatch()`.
 * @param options What the objects belong to.
 * @returns For the `sources` of a controller.
 *
 * @example
 * ```ts
 * import { fromChanges } from "@leash/leash/reconcile";
 * import { assertEquals } from "@std/assert";
 *
 * const moved = [{ before: { file: "x", project: "a" }, after: { file: "x", project: "b" } }];
 * const source = fromChanges(moved, { keys: ({ project }) => project });
 * const keys: string[] = [];
 * await source.run(
 *   { add: (key) => keys.push(key), synced: () => {} },
 *   new AbortController().signal,
 * );
 * assertEquals(keys, ["a", "b"]);
 * ```
 */
export function fromChanges<Item>(
  input: WatchInput<Change<Item>>,
  options: FromChangesOptions<Item>,
): Source {
  const { keys, name = "changes", ...rest } = options;
  return fromWatch(input, {
    ...rest,
    name,
    *keys({ before, after }: Change<Item>) {
      for (const item of [before, after]) {
        if (item === undefined) continue;
        const found = keys(item);
        if (typeof found === "string") yield found;
        else if (found !== undefined) yield* found;
      }
    },
  });
}
