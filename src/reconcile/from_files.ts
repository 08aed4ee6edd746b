import { onAbort } from "../base/on_abort.ts";
import { fromWatch } from "./from_watch.ts";
import type { Source } from "./source.ts";

/** What {@linkcode fromFiles} does with files. */
export interface FromFilesOptions {
  /** What it is called. Default: `"files"`. */
  name?: string;
  /** Whether what is below folders counts as well. Default: `true`. */
  recursive?: boolean;
  /**
   * The key of a file, from its path below the folder, with `/` between the parts; `undefined` for
   * files that do not count. It may be called for folders, and for files that are gone. Default: the
   * path.
   */
  key?: (path: string) => string | undefined;
  /** Higher comes first. Default: 0. */
  priority?: number;
}

/**
 * Keys from the files of a folder: first of all that are there, then of each that is made, changed or
 * removed. It needs the permission to read the folder.
 *
 * @param folder The folder. It must be there; otherwise the source fails, and is tried again.
 * @param options Which files count, and what their keys are.
 * @returns For the `sources` of a controller.
 *
 * @example
 * ```ts
 * import { Controller, fromFiles } from "@leash/leash/reconcile";
 *
 * const folder = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${folder}/web.json`, "{}");
 * const owner = new AbortController();
 * await using controller = new Controller("data:text/javascript,export default (key) => {}", {
 *   signal: owner.signal,
 *   sources: [fromFiles(folder, { key: (path) => path.match(/^(.+)\.json$/)?.[1] })],
 *   onEvent: (event) => event.type === "reconcile-started" && console.log(event.key), // web
 * });
 * await controller.synced;
 * await Deno.remove(folder, { recursive: true });
 * ```
 */
export function fromFiles(folder: string | URL, options: FromFilesOptions = {}): Source {
  const { name = "files", recursive = true, key = (path) => path, priority } = options;
  // Events have absolute paths with all links resolved.
  const root = async (): Promise<string> => await Deno.realPath(folder);
  return fromWatch<Deno.FsEvent & { readonly root: string }>(
    async (signal) => {
      const base = await root();
      // Before anything is listed, so that nothing is lost between.
      const watcher = Deno.watchFs(base, { recursive });
      onAbort(signal, () => watcher.close());
      return (async function* () {
        for await (const event of watcher) {
          yield { ...event, root: base };
          // Of files in a folder that was moved here, or that were made before it was watched, nothing
          // is told.
          if (recursive && (event.kind === "create" || event.kind === "rename")) {
            for (const path of event.paths) {
              for await (const found of files(path, true, isOver)) {
                yield { kind: "create", paths: [found], root: base };
              }
            }
          }
          // Begun anew, the source lists what there is.
          if (event.flag === "rescan") throw new Error(`Cannot watch ${base}: events were lost`);
          if (event.kind === "remove" && event.paths.includes(base)) {
            throw new Error(`Cannot watch ${base}: it was removed`);
          }
        }
      })();
    },
    {
      name,
      ...(priority === undefined ? {} : { priority }),
      where: ({ kind }) => kind !== "access",
      keys: ({ paths, root }) =>
        paths.filter((path) => path.length > root.length)
          .map((path) => key(relative(root, path)))
          .filter((found) => found !== undefined),
      list: async function* () {
        const base = await root();
        for await (const path of files(base, recursive)) {
          const found = key(relative(base, path));
          if (found !== undefined) yield found;
        }
      },
    },
  );
}

/** It is no folder, or gone again. */
function isOver(error: unknown): boolean {
  return error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.NotFound;
}

/** @param passes Of which errors a folder is passed over; what is beside it counts all the same. */
async function* files(
  folder: string,
  recursive: boolean,
  passes: (error: unknown) => boolean = () => false,
): AsyncGenerator<string> {
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = `${folder}/${name}`;
      if (!isDirectory) yield path;
      else if (recursive) yield* files(path, recursive, passes);
    }
  } catch (error) {
    if (!passes(error)) throw error;
  }
}

function relative(root: string, path: string): string {
  return path.slice(root.length + 1).replaceAll("\\", "/");
}
